"""Mobile documents by pymdoccbor (EU Digital Identity Wallet): verified, issued and shown. One request as JSON in a line, one answer in a line."""
import base64
import datetime
import hashlib
import json
import logging
import sys

import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID, ObjectIdentifier
from pycose.algorithms import Es256
from pycose.headers import Algorithm
from pycose.keys import EC2Key
from pycose.messages import Sign1Message
from pymdoccbor.mdoc.issuer import MdocCborIssuer
from pymdoccbor.mdoc.verifier import MdocCbor

logging.disable(logging.CRITICAL)


def unbase64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def tobase64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def verify(raw, root):
    """What an issuer sent, below a root."""
    signed = cbor2.loads(unbase64(raw))
    security = cbor2.loads(cbor2.loads(signed["issuerAuth"][2]).value)
    document = {"docType": security["docType"], "issuerSigned": signed}
    mdoc = MdocCbor()
    mdoc.loads(cbor2.dumps({"version": "1.0", "documents": [document], "status": 0}))
    valid = mdoc.verify([x509.load_pem_x509_certificate(root.encode())])
    elements = {name: sorted(values) for name, values in mdoc.disclosure_map.items()}
    status = {key: dict(value) for key, value in security["status"].items()}
    return {"valid": valid, "doctype": security["docType"], "elements": elements, "status": status}


def verify_response(response, root):
    """What a wallet showed: the documents of the issuer in it."""
    mdoc = MdocCbor()
    mdoc.loads(unbase64(response))
    return {"valid": mdoc.verify([x509.load_pem_x509_certificate(root.encode())]), "elements": mdoc.disclosure_map}


def present(raw, key, session):
    """OID4VP 1.0, B.2.6.1, and ISO/IEC 18013-5, 9.1.3."""
    signed = cbor2.loads(unbase64(raw))
    doctype = cbor2.loads(cbor2.loads(signed["issuerAuth"][2]).value)["docType"]
    info = [session["clientId"], session["nonce"], unbase64(session["thumbprint"]), session["responseUri"]]
    handover = ["OpenID4VPHandover", hashlib.sha256(cbor2.dumps(info)).digest()]
    nothing = cbor2.CBORTag(24, cbor2.dumps({}))
    authentication = ["DeviceAuthentication", [None, None, handover], doctype, nothing]
    numbers = serialization.load_pem_private_key(key.encode(), None).private_numbers()
    coordinates = (numbers.public_numbers.x, numbers.public_numbers.y, numbers.private_value)
    x, y, d = (number.to_bytes(32, "big") for number in coordinates)
    message = Sign1Message(phdr={Algorithm: Es256}, payload=cbor2.dumps(cbor2.CBORTag(24, cbor2.dumps(authentication))))
    message.key = EC2Key(crv="P_256", x=x, y=y, d=d)
    protected, unprotected, _, signature = cbor2.loads(message.encode(tag=False))
    device = {"nameSpaces": nothing, "deviceAuth": {"deviceSignature": [protected, dict(unprotected), None, signature]}}
    document = {"docType": doctype, "issuerSigned": {"issuerAuth": list(signed["issuerAuth"])}, "deviceSigned": device}
    return {"response": tobase64(cbor2.dumps({"version": "1.0", "documents": [document], "status": 0}))}


def certificate(name, issuer, key, signer, extensions):
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
    )
    for extension in extensions:
        builder = builder.add_extension(extension, critical=True)
    return builder.sign(signer, hashes.SHA256())


def issue(doctype, device):
    """To a device key, below a root that is made for it."""
    root_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)]) for text in ("Root", "Signer")]
    root = certificate(names[0], names[0], root_key, root_key, [x509.BasicConstraints(ca=True, path_length=0)])
    usage = x509.ExtendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.2")])
    leaf = certificate(names[1], names[0], key, root_key, [usage])
    d = key.private_numbers().private_value.to_bytes(32, "big")
    private = {"KTY": "EC2", "CURVE": "P_256", "ALG": "ES256", "D": d, "KID": b"1"}
    issuer = MdocCborIssuer(private_key=private, alg="ES256")
    today = datetime.date.today()
    validity = {"issuance_date": str(today), "expiry_date": str(today + datetime.timedelta(days=7))}
    public = {1: 2, -1: 1, -2: unbase64(device["x"]), -3: unbase64(device["y"])}
    data = {doctype: {"family_name": "Lovelace", "given_name": "Ada"}}
    der = leaf.public_bytes(serialization.Encoding.DER)
    made = issuer.new(data=data, doctype=doctype, validity=validity, devicekeyinfo=public, x509_chain=[der])
    signed = cbor2.dumps(made["documents"][0]["issuerSigned"])
    return {"raw": tobase64(signed), "root": root.public_bytes(serialization.Encoding.PEM).decode()}


COMMANDS = {"verify": verify, "verify_response": verify_response, "present": present, "issue": issue}

for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(COMMANDS[request.pop("command")](**request)), flush=True)
