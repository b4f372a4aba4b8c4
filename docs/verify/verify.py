import base64, hashlib, hmac, time

TOLERANCE_S = 5 * 60


def is_signed(body: bytes, headers: dict, secrets: list) -> bool:
    """body: exact bytes of the request; headers by lower-case name; secrets: old and new whsec_..."""
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signed = f"{id}.{timestamp}.".encode() + body
        expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, signature) for signature in signatures):
            return True
    return False
