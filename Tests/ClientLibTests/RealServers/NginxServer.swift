import Foundation
import ProxydTestSupport

/// nginx on loopback, in plain and over TLS, with a directory and a certificate of its own.
final class NginxServer: Sendable {
    static let path: String? = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    static let isInstalled = path != nil && OpenSSLTool.path != nil

    private static let starting = Task { try await OwnThread.run { try NginxServer() } }
    /// One for all tests.
    static func shared() async throws -> NginxServer { try await starting.value }

    /// `http://127.0.0.1:PORT`
    let url: String
    /// `https://127.0.0.1:PORT`
    let secureURL: String
    /// What clients must trust.
    let certificatePath: String
    private let scratch: ScratchFolder
    private let process: ServerProcess

    /// Ports are picked before nginx takes them: others may take them in between.
    private static let tryCount = 20

    private init() throws {
        guard let path = NginxServer.path else {
            throw ServerUnavailable(description: "nginx is not installed")
        }
        scratch = try ScratchFolder()
        for name in ["files", "files/uploads", "files/gated", "files/open/gated", "temporary"] {
            try FileManager.default.createDirectory(
                at: scratch.url.appending(path: name), withIntermediateDirectories: true)
        }
        try OpenSSLTool.run(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -keyout key.pem"
                + " -out certificate.pem -subj /CN=localhost"
                + " -addext subjectAltName=DNS:localhost,IP:127.0.0.1", in: scratch.url.path)
        certificatePath = scratch.url.appending(path: "certificate.pem").path
        let (started, port, securePort) = try NginxServer.start(path, in: scratch)
        process = started
        url = "http://127.0.0.1:\(port)"
        secureURL = "https://127.0.0.1:\(securePort)"
    }

    private static func start(
        _ path: String, in scratch: ScratchFolder
    ) throws -> (ServerProcess, UInt16, UInt16) {
        var printed = ""
        let directory = scratch.url
        for _ in 0..<tryCount {
            let (port, securePort) = (try FreePort.find(), try FreePort.find())
            let configuration = NginxConfiguration.text(
                directory: directory.path, port: port, securePort: securePort)
            let file = directory.appending(path: "nginx.conf")
            try Data(configuration.utf8).write(to: file)
            let process = try ServerProcess(
                path, ["-p", directory.path, "-e", "stderr", "-c", file.path], in: scratch)
            // nginx writes it once it listens.
            let pidFile = directory.appending(path: "nginx.pid")
            if process.waitUntil({ pidFile.bytes?.isEmpty == false }) {
                return (process, port, securePort)
            }
            printed = process.printed
        }
        throw ServerUnavailable(description: "nginx does not start: \(printed)")
    }

    /// Puts a file where `/files/NAME` and its like find it; says its URL at a location.
    @discardableResult
    func serve(
        _ bytes: [UInt8], as name: String, at location: String = "files"
    ) throws -> String {
        try Data(bytes).write(to: scratch.url.appending(path: "files/\(name)"))
        return "\(url)/\(location)/\(name)"
    }

    /// What was uploaded to `/uploads/NAME` or `/gated/NAME`.
    func uploaded(_ path: String) -> [UInt8]? { scratch.url.appending(path: "files\(path)").bytes }

    /// From now on `/gated/NAME` takes uploads.
    func open(_ path: String) throws {
        try Data().write(to: scratch.url.appending(path: "files/open\(path)"))
    }
}

/// Ports that no one listens on, at the time.
enum FreePort {
    static func find() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, byteCount) == 0 && getsockname(descriptor, $0, &byteCount) == 0
            }
        }
        guard isBound else { throw ServerUnavailable(description: "there is no free port") }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// What nginx is told.
enum NginxConfiguration {
    /// `/number/N` answers N and tells which connection it came on, `/files/` serves files,
    /// `/text/` the same compressed, `/slow/` so slowly that one can give up, ranges of them at
    /// once, `/uploads/` takes files by PUT, and `/gated/` takes them once
    /// that was opened; until then it is 503. `/loop` redirects to itself.
    static func text(directory: String, port: UInt16, securePort: UInt16) -> String {
        """
        daemon off;
        # Everything in one process, with the rights of who runs the tests.
        master_process off;
        pid \(directory)/nginx.pid;
        error_log stderr error;
        events { worker_connections 1024; }
        http {
            access_log off;
            default_type application/octet-stream;
            client_max_body_size 0;
            keepalive_requests 1000000;
            keepalive_timeout 600s;
            client_body_temp_path \(directory)/temporary/body;
            proxy_temp_path \(directory)/temporary/proxy;
            fastcgi_temp_path \(directory)/temporary/fastcgi;
            uwsgi_temp_path \(directory)/temporary/uwsgi;
            scgi_temp_path \(directory)/temporary/scgi;
            map $http_range $rate { "" 100k; default 0; }
            server {
                listen 127.0.0.1:\(port) backlog=1024;
                listen 127.0.0.1:\(securePort) ssl backlog=1024;
                ssl_certificate \(directory)/certificate.pem;
                ssl_certificate_key \(directory)/key.pem;
                root \(directory)/files;
                location ~ ^/number/(?<number>[0-9]+)$ {
                    add_header X-Connection $connection;
                    return 200 "$number";
                }
                location = /loop { return 302 /loop; }
                location /files/ { alias \(directory)/files/; }
                location /slow/ {
                    alias \(directory)/files/;
                    limit_rate $rate;
                }
                location /text/ {
                    alias \(directory)/files/;
                    gzip on;
                    gzip_types *;
                    gzip_min_length 0;
                }
                location /uploads/ { dav_methods PUT; }
                location /gated/ {
                    if (!-f $document_root/open$uri) { return 503 "closed"; }
                    dav_methods PUT;
                }
            }
        }
        """
    }
}
