"""pyeudiw as a verifier and as an issuer of SD-JWT VCs: it answers commands of run.ts, a line of JSON each.

Its SATOSA backend needs a database and a federation, so the parts of which it is made are used: requests, JWS, JWE, SD-JWT and status lists.
The listener has no TLS: wallet and verifier are on one machine, and the wallet of the run may call it.
"""
import base64
import datetime
import hashlib
import http.server
import json
import logging
import sys
import threading
import urllib.parse
import uuid
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

from cryptography import x509  # noqa: E402
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec  # noqa: E402
from cryptography.x509.oid import NameOID  # noqa: E402
from cryptojwt.jwk.ec import ECKey  # noqa: E402
from pyeudiw.jwt.jwe_helper import JWEHelper  # noqa: E402
from pyeudiw.jwt.jws_helper import JWSHelper  # noqa: E402
from pyeudiw.sd_jwt.common import SDObj  # noqa: E402
from pyeudiw.sd_jwt.issuer import SDJWTIssuer  # noqa: E402
from pyeudiw.sd_jwt.sd_jwt import SdJwt  # noqa: E402
from pyeudiw.status_list.helper import StatusListTokenHelper  # noqa: E402


def certified():
    """A root, and a key with a certificate below it."""
    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Root of the run")])
    now = datetime.datetime.now(datetime.timezone.utc)

    def certificate(name, public, is_root):
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(root_name)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(minutes=5))
            .not_valid_after(now + datetime.timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=is_root, path_length=None), True)
            .add_extension(x509.KeyUsage(not is_root, False, False, False, False, is_root, is_root, False, False), True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(root_key.public_key()), False)
        )
        if not is_root:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
        return builder.sign(root_key, hashes.SHA256())

    leaf = certificate(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")]), key.public_key(), False)
    root = certificate(root_name, root_key.public_key(), True)
    return key, leaf.public_bytes(serialization.Encoding.DER), root.public_bytes(serialization.Encoding.PEM).decode()


signing_key, leaf_der, root_pem = certified()
signing_jwk = ECKey(priv_key=signing_key, pub_key=signing_key.public_key()).serialize(private=True)
encryption_key = ECKey(priv_key=(key := ec.generate_private_key(ec.SECP256R1())), pub_key=key.public_key(), kid="enc", use="enc")
x5c = [base64.b64encode(leaf_der).decode()]


class Verifier(http.server.BaseHTTPRequestHandler):
    request_object = ""
    posted = []

    def answer(self, content_type, body):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.end_headers()
        self.wfile.write(body.encode())

    def do_GET(self):  # noqa: N802
        self.answer("application/oauth-authz-req+jwt", Verifier.request_object)

    def do_POST(self):  # noqa: N802
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        Verifier.posted.append({name: values[0] for name, values in form.items()})
        self.answer("application/json", "{}")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Verifier)
threading.Thread(target=server.serve_forever, daemon=True).start()
base = "http://localhost:%d" % server.server_address[1]


class Peer:
    def root(self):
        return root_pem

    def ask(self, query):
        """A request as HAIP wants it: signed, by the hash of the certificate, for an encrypted answer."""
        client_id = "x509_hash:" + base64.urlsafe_b64encode(hashlib.sha256(leaf_der).digest()).rstrip(b"=").decode()
        public = {**encryption_key.serialize(), "alg": "ECDH-ES"}
        now = int(datetime.datetime.now().timestamp())
        claims = {
            "client_id": client_id,
            "response_type": "vp_token",
            "response_mode": "direct_post.jwt",
            "response_uri": base + "/response",
            "aud": "https://self-issued.me/v2",
            "nonce": str(uuid.uuid4()),
            "state": str(uuid.uuid4()),
            "iat": now,
            "exp": now + 300,
            "dcql_query": query,
            "client_metadata": {
                "jwks": {"keys": [public]},
                "vp_formats_supported": {"dc+sd-jwt": {"sd-jwt_alg_values": ["ES256"], "kb-jwt_alg_values": ["ES256"]}},
            },
        }
        header = {"typ": "oauth-authz-req+jwt", "alg": "ES256", "x5c": x5c}
        Verifier.request_object = JWSHelper([signing_jwk]).sign(claims, protected=header, kid_in_header=False)
        link = {"client_id": client_id, "request_uri": base + "/request"}
        return {"link": "openid4vp://?" + urllib.parse.urlencode(link), "claims": claims}

    def received(self):
        """What the wallet has posted, decrypted."""
        if not Verifier.posted:
            return None
        posted = Verifier.posted.pop()
        return JWEHelper([encryption_key]).decrypt(posted["response"]) if "response" in posted else posted

    def verify(self, token, key, audience, nonce):
        presented = SdJwt(token)
        presented.verify_issuer_jwt_signature([key])
        presented.verify_holder_kb_jwt({"aud": audience, "nonce": nonce})
        return {"claims": presented.get_disclosed_claims(), "bound": presented.has_key_binding()}

    def status(self, token, index):
        read = StatusListTokenHelper.from_token(token)
        return {"status": read.get_status(index), "expired": read.is_expired(), "sub": read.sub}

    def issue(self, claims, disclosable, holder):
        hidden = {SDObj(name): value for name, value in disclosable.items()}
        issued = SDJWTIssuer({**claims, **hidden}, signing_jwk, holder, sign_alg="ES256", extra_header_parameters={"x5c": x5c})
        return issued.sd_jwt_issuance

    def signing_key(self):
        return ECKey(pub_key=signing_key.public_key()).serialize()


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
