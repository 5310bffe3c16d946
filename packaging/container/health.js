// The health check of the image: exit 0 while every service that runs here is ready. Without curl, which the image does not have.
const services = [
  ['IDENTITY', 5000],
  ['WALLET', 8080],
];
// `gatehouse identity` and `gatehouse wallet` run one of them: HEALTH_OF names it, in small letters.
const wanted = services.filter(([name]) => !process.env.HEALTH_OF || process.env.HEALTH_OF === name.toLowerCase());
const answers = await Promise.all(
  wanted.map(async ([name, port]) => {
    const secure = process.env.GATEHOUSE_TLS_CERT_FILE ? 'https' : 'http';
    const url = `${secure}://127.0.0.1:${process.env[`GATEHOUSE_${name}_PORT`] ?? port}/readyz`;
    const response = await fetch(url, { signal: AbortSignal.timeout(4000) }).catch(() => undefined);
    return response?.ok === true;
  }),
);
process.exit(answers.every(Boolean) ? 0 : 1);
