import type { Words } from '../en/index.ts';

export const snippets: Words['snippets'] = {
  discovery: 'Todo sobre el proveedor',
  node: 'Iniciar sesión, con Node.js y openid-client',
  device: 'Iniciar sesión en un dispositivo',
  service: 'Un token para la propia aplicación',
  proxy: 'Preguntas de un proxy',
  insecure: 'Solo para probar en una máquina: esta dirección no está cifrada. Con una dirección https, quite esto.',
  nodeRun: 'Guarde esto como sign-in.mjs. Después:',
  nodeCookie: 'La respuesta solo se acepta en el navegador que preguntó.',
  nodePerson:
    'Aquí empieza su sesión. Un código sirve una vez: quien vuelva a cargar esta página tiene que iniciar sesión otra vez.',
  nodeOpen: (address: string) => `Abra ${address}`,
  deviceBegin: 'Empiece. Muestre a la persona el user_code y la verification_uri de la respuesta.',
  devicePoll:
    'Cada 5 segundos, hasta que la persona lo haya permitido: pida los tokens. $DEVICE_CODE es el device_code de la respuesta.',
  proxyToken: '¿De quién es este token de acceso? ¿Es válido?',
  proxyPermissions:
    '¿Qué puede hacer esta persona en la aplicación? ($TOKEN: un token de la propia cuenta del proxy, con el rol «service»)',
};
