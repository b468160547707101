import Foundation
import ProxydTestSupport

/// A client and a server of the package `websockets` that talk through a daemon; see
/// Servers/websocket_talk.py.
final class WebSocketTalk {
    struct Message {
        let direction: String
        let kind: String
        let bytes: Data
        let isFragmented: Bool
    }

    /// Whether what it takes is installed.
    static let isPossible: Bool = {
        let probe = try? Tool.run("/usr/bin/python3", ["-c", "import websockets.legacy"])
        return probe?.status == 0
    }()

    private let service: Service
    private let directory: ScratchFolder

    init(through proxy: Daemon, form: String, tls: TestCertificate?) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/websocket_talk.py").path
        directory = try ScratchFolder()
        var arguments = ["-W", "ignore", script, String(proxy.port), directory.path + "/r", form]
        if let tls { arguments += [tls.certificatePath, tls.keyPath, proxy.certificatePath] }
        service = try Service("/usr/bin/python3", arguments)
    }

    /// What was said so far, in each direction in its order, once all of it has been: `word` says
    /// what of.
    func report(_ word: String) throws -> [Message] {
        let line = try service.readLine()
        let report = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/r"))
        guard line == word,
            let messages = try JSONSerialization.jsonObject(with: report) as? [[Any]]
        else { throw Tool.Failure(description: "no messages: \(line)") }
        return messages.compactMap { parts in
            guard parts.count == 4, let direction = parts[0] as? String,
                let kind = parts[1] as? String, let text = parts[2] as? String,
                let bytes = Data(base64Encoded: text), let isFragmented = parts[3] as? Bool
            else { return nil }
            return Message(
                direction: direction, kind: kind, bytes: bytes, isFragmented: isFragmented)
        }
    }

    /// Has the client close.
    func end() throws { try service.endInput() }
}
