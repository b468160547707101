import Foundation
import ProxydTestSupport

/// nginx that speaks HTTP/2: over TLS, over TLS as HTTP/1.1 only, and without TLS.
final class HTTP2Origin {
    /// Whether nginx is there, and curl knows HTTP/2.
    static let isAvailable: Bool = {
        guard Tool.find("nginx") != nil, let outcome = try? Tool.run("curl", ["-V"]) else {
            return false
        }
        return outcome.text.contains("HTTP2")
    }()

    let certificate: TestCertificate
    /// Where HTTP/2 is spoken over TLS.
    private(set) var port = 0
    /// Where only HTTP/1.1 is.
    private(set) var oldPort = 0
    /// Where HTTP/2 is spoken without TLS.
    private(set) var plainPort = 0
    let directory: ScratchFolder
    private var service: Service?

    init() throws {
        certificate = try TestCertificate()
        directory = try ScratchFolder()
        // A port that was free may be taken before nginx has it.
        for _ in 0..<20 where service == nil { try start() }
        guard service != nil else { throw Tool.Failure(description: "nginx does not start") }
    }

    func url(_ path: String) -> String { "https://localhost:\(port)\(path)" }
    func oldURL(_ path: String) -> String { "https://localhost:\(oldPort)\(path)" }
    func plainURL(_ path: String) -> String { "http://localhost:\(plainPort)\(path)" }

    /// Serves a file as `/files/NAME`, and at 1 KiB a second as `/slow/NAME`.
    func serve(_ bytes: Data, as name: String) throws {
        try bytes.write(to: URL(fileURLWithPath: "\(directory.path)/\(name)"))
    }

    /// What was put as `/up/NAME`.
    func uploaded(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/up/\(name)"))
    }

    private func start() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path + "/up", withIntermediateDirectories: true)
        (port, oldPort, plainPort) = try (FreePort.find(), FreePort.find(), FreePort.find())
        let file = directory.path + "/nginx.conf"
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        let started = try Service(
            Tool.find("nginx") ?? "", ["-p", directory.path, "-e", "stderr", "-c", file])
        let isUp = try Eventually.value(orFail: "nginx does not start: \(started.errors)") {
            // nginx writes it once it listens.
            let pid = try? String(contentsOfFile: directory.path + "/nginx.pid", encoding: .utf8)
            if pid?.isEmpty == false { return true }
            return started.isRunning ? nil : false
        }
        if isUp { service = started }
    }

    private var configuration: String {
        let answer = #"return 200 "$server_protocol $request_method $http_cookie\n";"#
        let tls = """
            ssl_certificate \(certificate.certificatePath);
            ssl_certificate_key \(certificate.keyPath);
            """
        let places = """
            client_max_body_size 0;
            location / { add_header X-Echo $http_x_echo always; \(answer) }
            location /up/ {
              alias \(directory.path)/up/;
              dav_methods PUT;
            }
            location /slow/ { alias \(directory.path)/; limit_rate 1k; }
            location /files/ { alias \(directory.path)/; }
            location /status/404 { return 404 "no\\n"; }
            """
        return """
            daemon off;
            master_process off;
            pid \(directory.path)/nginx.pid;
            error_log stderr;
            events { worker_connections 512; }
            http {
              access_log off;
              client_body_temp_path \(directory.path)/body;
              proxy_temp_path \(directory.path)/proxy;
              fastcgi_temp_path \(directory.path)/fastcgi;
              uwsgi_temp_path \(directory.path)/uwsgi;
              scgi_temp_path \(directory.path)/scgi;
              server { listen 127.0.0.1:\(port) ssl http2; \(tls) \(places) }
              server { listen 127.0.0.1:\(oldPort) ssl; \(tls) \(places) }
              server { listen 127.0.0.1:\(plainPort) http2; \(places) }
            }
            """
    }
}
