"""The scenarios: what is sent through a proxy, by which program, and what came back."""
import asyncio, dataclasses, re, signal, subprocess, sys, time
import websocket
from programs import BIG_BYTE_COUNT
from servers import free_port

SCENARIOS = {
    "plain": "GET of a 200-byte JSON answer, kept alive, 32 connections (wrk)",
    "serial": "the same, 1 connection",
    "post": "POST of 1 KiB labelled JSON, kept alive, 32 connections (wrk)",
    "tls": "GET through CONNECT, intercepted, kept alive, 32 connections (hey)",
    "tlsnew": "the same with a new connection and handshake for each request, 16 at a time (hey)",
    "big": "a download of 1 GiB (curl)",
    "bigtls": "the same, intercepted (curl)",
    "h2": "HTTP/2 over TLS on both sides, 32 connections of 10 streams (h2load)",
    "h2one": "the same, 1 connection",
    "ws": "echoes of 125 bytes over 32 WebSocket connections; an echo is two messages",
    "wsbig": "the same, 16 KiB",
}
NEEDED = {"wrk", "hey", "curl", "h2load", "socat", "nginx", "openssl", "sqlite3"}
# What is slow gets fewer requests where a load has a number of them.
REQUESTS = {"tls": 20000, "tlsnew": 2000}
SLOW_SHARE = {"mitmdump": 0.1}


@dataclasses.dataclass
class Outcome:
    done: int
    failed: int
    # Median latency, as the program that made the load prints it.
    latency: str = "-"


def run(scenario, proxy, origin, stage, seconds):
    if scenario in ("plain", "serial", "post"):
        return wrk(scenario, proxy, origin, stage, seconds)
    if scenario in ("tls", "tlsnew"):
        return hey(scenario, proxy, origin)
    if scenario in ("big", "bigtls"):
        return download(scenario, proxy, origin)
    if scenario in ("h2", "h2one"):
        return h2load(scenario, proxy, origin, seconds)
    return echoes(scenario, proxy, origin, seconds)


def output(command):
    return subprocess.run(command, capture_output=True, text=True).stdout


def found(pattern, text):
    """The groups of a match; ends the program with what was printed instead."""
    match = re.search(pattern, text)
    return match.groups() if match else sys.exit(f"no {pattern!r} in what the load printed:\n{text[-1000:]}")


def wrk(scenario, proxy, origin, stage, seconds):
    body = "x" * 1024 if scenario == "post" else ""
    lines = [f"{'POST' if body else 'GET'} http://127.0.0.1:{origin.plain}/small HTTP/1.1", f"Host: 127.0.0.1:{origin.plain}",
             "User-Agent: wrk", "Accept: */*"]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    request = "\\r\\n".join(lines + ["", body])
    script = stage.write("request.lua", f'local r = "{request}"\nfunction request() return r end\n')
    text = output(["wrk", "-t1", f"-c{1 if scenario == 'serial' else 32}", f"-d{seconds}s", "--latency", "-s", script,
                   f"http://127.0.0.1:{proxy.port}"])
    bad = re.search(r"Non-2xx.*: (\d+)", text)
    done, latency = found(r"(\d+) requests in", text)[0], found(r"50%\s+(\S+)", text)[0]
    return Outcome(int(done), int(bad.group(1)) if bad else 0, latency)


def hey(scenario, proxy, origin):
    connections = 32 if scenario == "tls" else 16
    count = int(REQUESTS[scenario] * SLOW_SHARE.get(proxy.name, 1))
    count -= count % connections
    text = output(["hey", "-n", str(count), "-c", str(connections), *(["-disable-keepalive"] if scenario == "tlsnew" else []),
                   "-x", f"http://127.0.0.1:{proxy.port}", f"https://localhost:{origin.tls}/small"])
    done = sum(map(int, re.findall(r"\[200\]\s+(\d+) responses", text)))
    latency = re.search(r"50% in (\S+) secs", text)
    return Outcome(done, count - done, latency.group(1) + "s" if latency else "-")


def download(scenario, proxy, origin):
    url = f"https://localhost:{origin.tls}/big" if scenario == "bigtls" else f"http://127.0.0.1:{origin.plain}/big"
    text = output(["curl", "-sk", "-o", "/dev/null", "-w", "%{size_download} %{time_total}",
                   "-x", f"http://127.0.0.1:{proxy.port}", url])
    size, _, taken = text.partition(" ")
    return Outcome(1, 0 if size == str(BIG_BYTE_COUNT) else 1, taken + "s")


def h2load(scenario, proxy, origin, seconds):
    """A forward proxy is reached through socat, which asks it for a tunnel and whose time is not counted."""
    tunnel, port = None, getattr(proxy, "port_http2", None)
    if proxy.is_forward:
        port = free_port()
        tunnel = subprocess.Popen(
            ["socat", f"TCP-LISTEN:{port},bind=127.0.0.1,fork,reuseaddr,backlog=128",
             f"PROXY:127.0.0.1:localhost:{origin.tls},proxyport={proxy.port}"],
            stderr=subprocess.DEVNULL, start_new_session=True)
        await_listener(port)
    amount = ["-n", "2000"] if proxy.name in SLOW_SHARE else ["-D", str(seconds)]
    text = output(["h2load", "-t1", f"-c{1 if scenario == 'h2one' else 32}", "-m10", *amount,
                   f"--connect-to=127.0.0.1:{port}", f"https://localhost:{origin.tls}/small"])
    if tunnel:
        tunnel.send_signal(signal.SIGTERM)
        tunnel.wait()
    # Streams that were open when the time was up count as started only.
    done, failed = map(int, found(r"(\d+) succeeded, (\d+) failed", text))
    if "Application protocol: h2" not in text:
        failed = done
    failed += max(0, done - int(found(r"status codes: (\d+) 2xx", text)[0]))
    latency = re.search(r"time for request:\s+\S+\s+\S+\s+(\S+)", text)
    return Outcome(done, failed, latency.group(1) if latency else "-")


def await_listener(port):
    """Waits for a listener without connecting to it: socat would open a tunnel."""
    for _ in range(200):
        with open("/proc/net/tcp") as file:
            if f":{port:04X} 00000000:0000 0A" in file.read():
                return
        time.sleep(0.02)


def echoes(scenario, proxy, origin, seconds):
    port = proxy.port if proxy.is_forward else proxy.port_websocket
    done, failed, times = asyncio.run(websocket.load(
        port, f"localhost:{origin.websocket}", proxy.is_forward, 125 if scenario == "ws" else 16384, 32, seconds))
    return Outcome(done, failed, f"{1e6 * sorted(times)[len(times) // 2]:.0f}us" if times else "-")
