#!/usr/bin/env python3
"""An origin that authenticates connections, as NTLM servers do: whoever proves to be somebody is
taken for that user in all that follows on the connection.

    ntlm.py [CERT KEY]     prints "PORT\\n" and serves on 127.0.0.1

It answers with the user's name; 401 without one. Passwords are not checked.
"""
import asyncio, base64, ssl, struct, sys

OEM, UNICODE, NTLM = 0x2, 0x1, 0x200


def challenge():
    """The second message (MS-NLMP 2.2.1.2)."""
    flags = UNICODE | NTLM | 0x8000
    return b"NTLMSSP\0" + struct.pack("<IHHIIQQHHI", 2, 0, 0, 48, flags, 0x0123456789ABCDEF, 0, 0, 0, 48)


def user(message):
    """The name in the third message (MS-NLMP 2.2.1.3)."""
    length, _, offset = struct.unpack_from("<HHI", message, 36)
    flags = struct.unpack_from("<I", message, 60)[0]
    return message[offset : offset + length].decode("utf-16-le" if flags & UNICODE else "latin-1")


async def serve(reader, writer):
    name, is_challenged = None, False
    try:
        while line := await reader.readline():
            fields = {}
            while (field := (await reader.readline()).strip()):
                key, _, value = field.decode("latin-1").partition(":")
                fields[key.lower()] = value.strip()
            await reader.readexactly(int(fields.get("content-length", 0)))
            status, extra, body = "401 Unauthorized", "WWW-Authenticate: NTLM\r\n", "who?"
            scheme, _, token = fields.get("authorization", "").partition(" ")
            if scheme.lower() == "ntlm":
                message = base64.b64decode(token)
                kind = struct.unpack_from("<I", message, 8)[0]
                if kind == 1:
                    name, is_challenged = None, True
                    answer = base64.b64encode(challenge()).decode()
                    extra = f"WWW-Authenticate: NTLM {answer}\r\n"
                elif kind == 3 and is_challenged:
                    name, is_challenged = user(message), False
            if name is not None:
                status, extra, body = "200 OK", "", name
            writer.write(
                f"HTTP/1.1 {status}\r\n{extra}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
        pass
    finally:
        writer.close()


async def main():
    tls = None
    if len(sys.argv) > 2:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(sys.argv[1], sys.argv[2])
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
