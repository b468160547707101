"""Writes a root, an issuer, a server's certificate and what the issuer says of it (OCSP, RFC 6960).

certificates.py DIRECTORY [--fault FAULT] [--status STATUS] [--must-staple]

FAULT is one of the things that make a chain bad, all else being good: expired, not-yet-valid,
wrong-host, untrusted-root, ca-flag-missing, path-length, name-constraint, key-usage (an issuer that
may not sign), extended-key-usage (not for servers), weak-key, weak-signature.

STATUS is good, revoked, expired (good once), open (good, without a next update), open-old (the same,
eight days old), stranger (signed by somebody else), delegated (signed
by who the issuer lets sign), other (about another certificate), garbage, or none.

Writes root.pem, chain.pem (the server's certificate and its issuer's), leaf.key and, but for none,
status.der.
"""

import argparse
import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509 import ocsp
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

parser = argparse.ArgumentParser()
parser.add_argument("directory")
parser.add_argument("--fault", default="")
parser.add_argument("--status", default="none")
parser.add_argument("--must-staple", action="store_true")
wanted = parser.parse_args()
now = datetime.datetime.utcnow().replace(microsecond=0)
day = datetime.timedelta(days=1)


def name(common_name):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def write(file, octets):
    with open(f"{wanted.directory}/{file}", "wb") as output:
        output.write(octets)


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM)


def sign(subject, key, issuer, issuer_key, extensions, life=(-day, 30 * day), digest=None):
    builder = (
        x509.CertificateBuilder()
        .subject_name(name(subject))
        .issuer_name(name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + life[0])
        .not_valid_after(now + life[1])
    )
    for extension in extensions:
        builder = builder.add_extension(extension, isinstance(extension, CRITICAL))
    return builder.sign(issuer_key, digest or hashes.SHA256())


CRITICAL = (x509.BasicConstraints, x509.KeyUsage, x509.NameConstraints)


def usage(may_sign):
    return x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, key_cert_sign=may_sign, crl_sign=may_sign,
        encipher_only=False, decipher_only=False,
    )


def authority(subject, issuer=None, path_length=None, fault=""):
    """An authority's key and certificate; its own root where there is no issuer."""
    key = ec.generate_private_key(ec.SECP256R1())
    is_authority = fault != "ca-flag-missing"
    extensions = [
        x509.BasicConstraints(ca=is_authority, path_length=path_length if is_authority else None),
        usage(may_sign=fault != "key-usage"),
    ]
    if fault == "name-constraint":
        permitted = [x509.DNSName("other.example")]
        extensions.append(
            x509.NameConstraints(permitted_subtrees=permitted, excluded_subtrees=None))
    issuer_name, issuer_key = issuer or (subject, key)
    return key, sign(subject, key, issuer_name, issuer_key, extensions)


def server(issuer, issuer_key):
    if wanted.fault == "weak-key":
        key = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    else:
        key = ec.generate_private_key(ec.SECP256R1())
    host = "other.example" if wanted.fault == "wrong-host" else "localhost"
    purpose = ExtendedKeyUsageOID.SERVER_AUTH
    if wanted.fault == "extended-key-usage":
        purpose = ExtendedKeyUsageOID.CLIENT_AUTH
    extensions = [
        x509.SubjectAlternativeName([x509.DNSName(host)]),
        x509.ExtendedKeyUsage([purpose]),
    ]
    if wanted.must_staple:
        extensions.append(x509.TLSFeature([x509.TLSFeatureType.status_request]))
    life = {
        "expired": (-30 * day, -day),
        "not-yet-valid": (day, 30 * day),
    }.get(wanted.fault, (-day, 30 * day))
    digest = hashes.SHA1() if wanted.fault == "weak-signature" else None
    return key, sign("localhost", key, issuer, issuer_key, extensions, life, digest)


def answer(leaf, issuer, issuer_key):
    signer, signer_key = issuer, issuer_key
    if wanted.status == "stranger":
        signer_key, signer = authority("stranger")
    if wanted.status == "delegated":
        signer_key = ec.generate_private_key(ec.SECP256R1())
        purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.OCSP_SIGNING])
        signer = sign("responder", signer_key, "issuer", issuer_key, [purpose])
    if wanted.status == "other":
        leaf = server("issuer", issuer_key)[1]
    is_revoked = wanted.status in ("revoked", "delegated")
    age = {"expired": 20 * day, "open-old": 8 * day}.get(wanted.status, day)
    builder = ocsp.OCSPResponseBuilder().add_response(
        cert=leaf,
        issuer=issuer,
        algorithm=hashes.SHA1(),
        cert_status=ocsp.OCSPCertStatus.REVOKED if is_revoked else ocsp.OCSPCertStatus.GOOD,
        this_update=now - age,
        next_update=None if wanted.status.startswith("open") else now - age + 7 * day,
        revocation_time=datetime.datetime(2024, 1, 2) if is_revoked else None,
        revocation_reason=None,
    )
    builder = builder.responder_id(ocsp.OCSPResponderEncoding.HASH, signer)
    if signer is not issuer:
        builder = builder.certificates([signer])
    return builder.sign(signer_key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


# The issuer may sign for servers but for no further authority: with a fault of path length there is
# one between it and the server.
root_key, root = authority("root")
issuer_key, issuer = authority("issuer", ("root", root_key), path_length=0, fault=wanted.fault)
chain = [issuer]
issuer_name = "issuer"
if wanted.fault == "path-length":
    issuer_key, below = authority("below", ("issuer", issuer_key))
    issuer_name = "below"
    chain.insert(0, below)
leaf_key, leaf = server(issuer_name, issuer_key)
if wanted.fault == "untrusted-root":
    root = authority("another root")[1]

write("root.pem", pem(root))
write("chain.pem", b"".join(pem(certificate) for certificate in [leaf] + chain))
write(
    "leaf.key",
    leaf_key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ),
)
if wanted.status == "garbage":
    # What a responder answers that has nothing to say: tryLater.
    write("status.der", bytes([0x30, 0x03, 0x0A, 0x01, 0x03]))
elif wanted.status != "none":
    write("status.der", answer(leaf, issuer, issuer_key))
