"""A verifier of polaris-oid4vp, as its documentation embeds it: it answers commands of run.ts, a line of JSON each.

The listener has no TLS: wallet and verifier are on one machine, and the wallet of the run may call it. All else is the package's own.
"""
import json
import pathlib
import sys
import tempfile
import urllib.parse
import urllib.request

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from polaris_oid4vp.cli import FILES, keygen
from polaris_oid4vp.sdjwt import _issuer_public_keys, _leaf_names
from polaris_oid4vp.serve import REQUEST_PATH, RESPONSE_PATH, serve
from polaris_oid4vp.status import StatedAuthority, decide
from polaris_oid4vp.verifier import Verifier

verdicts = []
folder = pathlib.Path(tempfile.mkdtemp())
keygen(folder, "localhost")


def certificates(pem):
    return x509.load_pem_x509_certificates(pem.encode())


def status(token, header_key, reference, now):
    """Whether the list says that the entry is valid, by the key that signed the credential."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    def verify(signed, signature, _header):
        der = encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
        try:
            header_key.verify(der, signed, ec.ECDSA(hashes.SHA256()))
            return True
        except Exception:
            return False

    return decide(token, index=reference["idx"], expected_uri=reference["uri"], authority=StatedAuthority(),
                  now=now, issuer_key_verify=verify)


class Peer:
    def __init__(self):
        self.server = self.verifier = None

    def start(self, anchors, vct, claims):
        """Serves requests for credentials of this type."""
        if self.server:
            self.server.shutdown()
            self.server.server_close()
        self.server = serve(None, host="127.0.0.1", port=0, on_verdict=self.note)
        base = "http://localhost:%d" % self.server.server_address[1]
        self.verifier = Verifier(
            client_cert_pem=(folder / FILES["client_cert"]).read_bytes(),
            client_key_pem=(folder / FILES["client_key"]).read_bytes(),
            request_uri=base + REQUEST_PATH,
            response_uri=base + RESPONSE_PATH,
            issuer_trust_anchors=certificates(anchors),
            vct_values=[vct],
            claims=claims,
        )
        self.server.RequestHandlerClass.verifier = self.verifier
        return {"anchor": (folder / FILES["anchor"]).read_text()}

    def note(self, status_code, body, verdict):
        verdicts.append({
            "status": status_code,
            "body": body,
            "authentic": bool(verdict and verdict.authentic),
            "code": getattr(verdict, "code", None),
            "reason": getattr(verdict, "reason", None),
            "claims": getattr(verdict, "claims", None),
        })

    def ask(self):
        session, _ = self.verifier.new_request()
        query = urllib.parse.urlencode(self.verifier.authorization_request_params(session))
        return {"link": "openid4vp://?" + query}

    def verdict(self):
        return verdicts.pop() if verdicts else None

    def chain(self, x5c, anchors, iss):
        """What the package says of a chain of an issuer."""
        keys, why, certified = _issuer_public_keys({"x5c": x5c}, None, certificates(anchors))
        return {"why": why, "names": _leaf_names(certified[0], iss) if certified else None, "keys": len(keys)}

    def status(self, token, x5c, reference, now):
        import base64
        key = x509.load_der_x509_certificate(base64.b64decode(x5c[0])).public_key()
        return dict(status(token, key, reference, now))

    def client_certificate(self):
        pem = x509.load_pem_x509_certificate((folder / FILES["client_cert"]).read_bytes())
        return {"pem": pem.public_bytes(serialization.Encoding.PEM).decode()}


peer = Peer()
for line in sys.stdin:
    command = json.loads(line)
    name = command.pop("command")
    try:
        answer = {"answer": getattr(peer, name)(**command)}
    except Exception as error:  # noqa: BLE001  told to run.ts
        answer = {"error": "%s: %s" % (type(error).__name__, error)}
    sys.stdout.write(json.dumps(answer, default=str) + "\n")
    sys.stdout.flush()
