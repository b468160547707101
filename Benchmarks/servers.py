"""What every benchmark with servers needs: free ports, a certificate, and nginx as the origin."""
import os, socket, subprocess


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_certificate(folder):
    """A self-signed certificate for localhost and its key, as two files; their paths."""
    key, certificate = (os.path.join(folder, name) for name in ("origin.key", "origin.crt"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
         "-keyout", key, "-out", certificate, "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    return certificate, key


def write_nginx_configuration(folder, servers):
    """One worker, whose connections stay open; `servers` are the `server` blocks. Its path."""
    temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    path = os.path.join(folder, "nginx.conf")
    with open(path, "w") as file:
        file.write(f"""daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log; user root;
events {{ worker_connections 8192; }}
http {{ access_log off; keepalive_requests 100000000; keepalive_timeout 300s; client_max_body_size 2g; {temporary}
{servers} }}
""")
    return path
