// Name constraints (RFC 5280, 4.2.1.10): the names an authority may issue certificates for. The constraints of each authority apply
// to everything below it, so a lower one cannot widen them. A constrained name of an unsupported form is refused.
import type { GeneralName, GeneralSubtree, Name, NameConstraints, RelativeDistinguishedName } from '@peculiar/asn1-x509';
import { ChainError } from './errors.ts';

/** The names in a certificate. */
export interface CertificateNames {
  readonly subject: Name;
  readonly alternatives: readonly GeneralName[];
}

type NameForm = keyof GeneralName;
interface TypedName {
  readonly form: NameForm;
  readonly name: GeneralName;
}

const EMAIL_ADDRESS = '1.2.840.113549.1.9.1';
const refuseName = (): never => {
  throw new ChainError('a certificate has a name that an authority may not vouch for');
};

function formOf(name: GeneralName): NameForm {
  const [form] = (Object.keys(name) as NameForm[]).filter((one) => name[one] !== undefined);
  return form ?? refuseName();
}

const isWithin = (host: string, base: string): boolean =>
  base === '' || (base.startsWith('.') ? host.endsWith(base) : host === base || host.endsWith(`.${base}`));

const lower = (text: string): string => text.toLowerCase().replace(/\.$/, '');

/** Host names and wildcards. A wildcard also matches an excluded name below it. */
function matchesHost(name: string, base: string, isExcluded: boolean): boolean {
  if (!/^[\w.*-]*$/.test(name)) return refuseName();
  const [host, within] = [lower(name), lower(base)];
  if (isExcluded && host.startsWith('*.') && isWithin(within.replace(/^\./, ''), host.slice(2))) return true;
  return isWithin(host, within);
}

/** Compares the host of the URI. URIs without a host name, or with an IP address, are refused. */
function matchesUri(name: string, base: string): boolean {
  const host = lower(URL.parse(name)?.hostname ?? '');
  if (!/^[\w-]+(\.[\w-]+)*$/.test(host) || /(^|\.)(\d+|0x[\da-f]*)$/.test(host)) return refuseName();
  const within = lower(base);
  return within === '' || (within.startsWith('.') ? host.endsWith(within) : host === within);
}

function matchesMail(name: string, base: string): boolean {
  const at = name.lastIndexOf('@');
  const host = lower(name.slice(at + 1));
  if (at < 1 || !/^[\w.-]+$/.test(host)) return refuseName();
  if (base.includes('@')) {
    const split = base.lastIndexOf('@');
    return name.slice(0, at) === base.slice(0, split) && host === lower(base.slice(split + 1));
  }
  const within = lower(base);
  return within === '' || (within.startsWith('.') ? host.endsWith(within) : host === within);
}

/** Compared as in RFC 5280, 7.1: ignoring case and repeated blanks. */
const rdnText = (rdn: RelativeDistinguishedName): string =>
  JSON.stringify(
    [...rdn]
      .map(({ type, value }) => [
        type,
        value.anyValue
          ? Buffer.from(value.anyValue).toString('hex')
          : value.toString().normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim(),
      ])
      .sort(),
  );

const matchesDirectory = (name: Name, base: Name): boolean =>
  [...base].every((rdn, at) => name[at] !== undefined && rdnText(name[at]) === rdnText(rdn));

function matches({ form, name }: TypedName, base: GeneralName, isExcluded: boolean): boolean {
  if (form === 'dNSName') return matchesHost(name.dNSName!, base.dNSName!, isExcluded);
  if (form === 'uniformResourceIdentifier') return matchesUri(name.uniformResourceIdentifier!, base.uniformResourceIdentifier!);
  if (form === 'rfc822Name') return matchesMail(name.rfc822Name!, base.rfc822Name!);
  if (form === 'directoryName') return matchesDirectory(name.directoryName!, base.directoryName!);
  return refuseName();
}

/** An email address in the subject counts as an alternative name. Older certificates have it there. */
function namesIn({ subject, alternatives }: CertificateNames): TypedName[] {
  const mails = [...subject]
    .flatMap((rdn) => [...rdn])
    .filter(({ type }) => type === EMAIL_ADDRESS)
    .map(({ value }) => ({ form: 'rfc822Name' as const, name: { rfc822Name: value.toString() } as GeneralName }));
  const own = subject.length > 0 ? [{ form: 'directoryName' as const, name: { directoryName: subject } as GeneralName }] : [];
  return [...own, ...mails, ...alternatives.map((name) => ({ form: formOf(name), name }))];
}

/** Throws if the constraints do not follow the standard. */
export function readConstraints(constraints: NameConstraints): NameConstraints {
  const all = [...(constraints.permittedSubtrees ?? []), ...(constraints.excludedSubtrees ?? [])];
  if (all.length === 0 || all.some(({ minimum, maximum }) => minimum !== 0 || maximum !== undefined))
    throw new ChainError('the name constraints of an authority are not understood');
  return constraints;
}

/** Throws ChainError if one of the names is not allowed. */
export function checkNames(names: CertificateNames, { permittedSubtrees, excludedSubtrees }: NameConstraints): void {
  const ofForm = (subtrees: Iterable<GeneralSubtree> | undefined, form: NameForm): GeneralName[] =>
    [...(subtrees ?? [])].flatMap(({ base }) => (formOf(base) === form ? base : []));
  for (const named of namesIn(names)) {
    const permitted = ofForm(permittedSubtrees, named.form);
    if (permitted.length > 0 && !permitted.some((base) => matches(named, base, false))) refuseName();
    if (ofForm(excludedSubtrees, named.form).some((base) => matches(named, base, true))) refuseName();
  }
}
