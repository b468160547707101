internal import ProxydEventLoops
internal import ProxydHTTPModel

/// The pages that the proxy serves about itself: how to trust its certificate authority, and the
/// certificate. They contain no secrets and change no state, so any client may read them.
struct InfoPages: Sendable {
    private let certificatePEM: [UInt8]
    private let certificateDER: [UInt8]
    private let fingerprint: String

    init(certificatePEM: [UInt8], certificateDER: [UInt8], fingerprint: String) {
        self.certificatePEM = certificatePEM
        self.certificateDER = certificateDER
        self.fingerprint = fingerprint
    }

    /// Answers a request addressed to the proxy itself.
    /// - Parameter authority: the host and port that the client used, which it can reach.
    func answer(method: HTTPMethod, path: String, authority: String?) -> LocalResponse {
        guard method == .get || method == .head else {
            var refused = LocalResponse(
                status: 405, reason: "Method Not Allowed", text: "proxyd: only GET and HEAD")
            refused.fields = [("Allow", "GET, HEAD")]
            return refused
        }
        switch path.prefix(while: { $0 != "?" }) {
        case "/", "/index.html": return index
        case "/ca.pem": return download(certificatePEM, "application/x-pem-file", "proxyd-ca.pem")
        case "/ca.der", "/ca.crt", "/ca.cer":
            return download(certificateDER, "application/x-x509-ca-cert", "proxyd-ca.crt")
        case "/proxy.pac": return autoConfiguration(authority)
        default:
            return LocalResponse(
                status: 404, reason: "Not Found",
                text: "proxyd: there is no such page here; see http://proxyd.local/")
        }
    }

    /// A script that sends everything but this machine's own names through the proxy. The authority
    /// was sent by the client: only characters of hosts and ports go into the script.
    private func autoConfiguration(_ authority: String?) -> LocalResponse {
        guard let authority = authority.flatMap(InfoPages.place) else {
            return LocalResponse(
                status: 400, reason: "Bad Request",
                text: "proxyd: proxy.pac needs the host and port of the proxy in Host")
        }
        let script = """
            function FindProxyForURL(url, host) {
              if (host == "localhost" || dnsDomainIs(host, ".localhost") || host == "::1" ||
                  shExpMatch(host, "127.*"))
                return "DIRECT";
              return "PROXY \(authority)";
            }

            """
        return LocalResponse(
            status: 200, reason: "OK", contentType: "application/x-ns-proxy-autoconfig",
            body: Array(script.utf8))
    }

    /// The authority with its port, if it contains nothing but a host and a port.
    private static func place(_ authority: String) -> String? {
        let isPlain = authority.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-._:[]".utf8.contains(byte)
            }
        }
        guard isPlain, !authority.isEmpty, authority.utf8.count <= 260 else { return nil }
        let hasPort = authority.last != "]" && authority.contains(":")
        return hasPort ? authority : authority + ":80"
    }

    private func download(_ body: [UInt8], _ type: String, _ name: String) -> LocalResponse {
        var response = LocalResponse(status: 200, reason: "OK", contentType: type, body: body)
        response.fields = [("Content-Disposition", "attachment; filename=\"\(name)\"")]
        return response
    }

    private var index: LocalResponse {
        var response = LocalResponse(
            status: 200, reason: "OK", contentType: "text/html; charset=utf-8",
            body: Array(page.utf8))
        response.fields = [
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
            ("X-Frame-Options", "DENY"),
        ]
        return response
    }

    private var page: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>proxyd</title>
        <style>body{font:16px/1.5 sans-serif;max-width:48em;margin:2em auto;padding:0 1em}
        pre{background:#f4f4f4;padding:.8em;overflow:auto}</style></head><body>
        <h1>proxyd is running</h1>
        <p>To read TLS traffic, a client must trust this proxy's certificate authority. It was made
        on this machine and exists nowhere else.</p>
        <p><a href="/ca.pem">Certificate (PEM)</a> · <a href="/ca.der">Certificate (DER)</a></p>
        <p>SHA-256 fingerprint: <code>\(fingerprint)</code></p>
        <h2>On the machine that runs proxyd</h2>
        <pre>proxyctl ca doctor     # what trusts it, and the command for what does not
        sudo proxyctl ca install</pre>
        <h2>Debian, Ubuntu</h2>
        <pre>sudo cp proxyd-ca.pem /usr/local/share/ca-certificates/proxyd-ca.crt
        sudo update-ca-certificates</pre>
        <h2>Fedora, RHEL</h2>
        <pre>sudo cp proxyd-ca.pem /etc/pki/ca-trust/source/anchors/
        sudo update-ca-trust</pre>
        <h2>Chromium</h2>
        <pre>certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n proxyd -i proxyd-ca.pem</pre>
        <h2>Firefox</h2>
        <p>Settings → Privacy &amp; Security → Certificates → View Certificates → Authorities →
        Import.</p>
        <h2>curl, Python, Node, Java</h2>
        <pre>curl --cacert proxyd-ca.pem …
        export REQUESTS_CA_BUNDLE=proxyd-ca.pem SSL_CERT_FILE=proxyd-ca.pem
        export NODE_EXTRA_CA_CERTS=proxyd-ca.pem
        keytool -importcert -cacerts -alias proxyd -file proxyd-ca.pem</pre>
        </body></html>

        """
    }
}

/// Decides who may read the proxy's own pages: who asks for them by its name or an address.
///
/// A web page whose own name was made to resolve to this machine (DNS rebinding) sends that name,
/// and scripts of other sites send their Origin. Both are refused: the certificate authority is
/// unique, so its fingerprint would identify the user.
enum PageAccess {
    static func isAllowed(_ head: RequestHead, ownHostNames: Set<String>) -> Bool {
        let authority = head.authority
        let ownOrigin = "http://\(authority?.lowercased() ?? "")"
        guard head.fields.values(named: "Origin").allSatisfy({ $0.lowercased() == ownOrigin })
        else { return false }
        // Only HTTP/1.0 requests may lack a Host field, and no browser sends those.
        guard let authority else { return true }
        let host = host(of: authority)
        return host.lowercased() == "localhost" || ownHostNames.haveHost(host)
            || SocketAddress(ip: host, port: 0) != nil
    }

    /// Where a client reaches this proxy: at the host that it named, or, if that is a name of the
    /// proxy's pages, which only the proxy itself knows, at the address that it connected to.
    static func authority(
        _ head: RequestHead, at address: SocketAddress, _ ownHostNames: Set<String>
    ) -> String? {
        guard let authority = head.authority, ownHostNames.haveHost(host(of: authority)) else {
            return head.authority
        }
        return address.description
    }

    /// The host of a valid Host value, without brackets and port.
    private static func host(of authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }
}

/// The host names of the proxy's own pages. An extension of the set rather than of the
/// configuration, which would be copied for each request.
extension Set<String> {
    /// Whether a host is one of these names; case and a trailing dot do not matter.
    func haveHost(_ host: String) -> Bool {
        // There are only a few names: comparing with each is cheaper than hashing.
        for own in self where HostName.areSame(own, host) { return true }
        return false
    }
}
