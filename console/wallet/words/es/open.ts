import type { Words } from '../en/index.ts';

export const open: Words['open'] = {
  title: 'Recibir o compartir',
  text: 'Los emisores y los verificadores le dan un enlace o un código QR. Ábralo aquí: primero verá quién es y de qué se trata. Nada se acepta ni se comparte antes de que usted lo apruebe.',
  paste: 'Pegar un enlace',
  link: 'Enlace',
  linkHint: 'Empieza por openid-credential-offer://, openid4vp:// o https://',
  look: 'Ver de qué se trata',
  noLink: 'Esto no es un enlace de un emisor ni de un verificador.',
  scan: 'Escanear un código QR',
  scanText: 'El código se lee en este dispositivo; no se envía ninguna imagen.',
  startCamera: 'Encender la cámara',
  cameraUnsupported:
    'Este navegador no da cámara a esta página: solo la da con una conexión segura (https). Pegue el enlace o elija una imagen del código.',
  picture: 'O elija una imagen del código',
  noCode: 'En esta imagen no hay ningún código de un emisor ni de un verificador.',
  noCamera: 'No se puede usar la cámara. Permítala para esta página en los ajustes del navegador.',
  cameraPicture: 'Lo que ve la cámara',
  holdCode: 'Ponga el código delante de la cámara.',
  handler: 'Abrir enlaces con esta cartera',
  handlerText:
    'Algunas páginas ofrecen enlaces que empiezan por web+openidcredentialoffer o web+openidvp. El navegador puede abrirlos con esta cartera.',
  register: 'Registrar esta cartera',
  registered: 'El navegador pregunta si puede abrir esos enlaces con esta cartera.',
  offerTitle: 'Alguien le ofrece una credencial',
  requestTitle: 'Alguien le pide sus credenciales',
  offerText: 'Ha seguido un enlace con una oferta. Para ver qué se ofrece, la cartera pregunta al emisor.',
  requestText: 'Ha seguido un enlace con una petición. Para ver qué se pide, la cartera la lee. Con eso no se comparte nada.',
  willAsk: 'La cartera contactaría con:',
  willAskNobody: 'Para eso la cartera no contactaría con nadie.',
};
