import Foundation

/// A server that authenticates connections; see Servers/ntlm.py.
final class NTLMServer {
    let url: String
    private let service: Service

    init(tls: TestCertificate? = nil) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/ntlm.py").path
        let arguments = tls.map { [$0.certificatePath, $0.keyPath] } ?? []
        service = try Service(Tool.find("python3") ?? "", [script] + arguments)
        let port = try service.readLine()
        url = tls == nil ? "http://127.0.0.1:\(port)" : "https://localhost:\(port)"
    }
}
