/** host:port of a configured URL, in the form of GATEHOUSE_OUTBOUND_ALLOW. */
export function hostPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
