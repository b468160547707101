import Foundation
import ProxydTestSupport

/// A server of the package `websockets` that tells what it heard, and a client that has talked to
/// it through a daemon; see Servers/websocket_room.py.
final class WebSocketRoom {
    /// A message that the server got.
    struct Heard: Equatable {
        let kind: String
        let bytes: Data
        /// Whether it came before what stood in front of it was answered.
        let wasFollowedAtOnce: Bool
    }

    private let service: Service
    private let directory: ScratchFolder

    init(through proxy: Daemon, form: String = "none") throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/websocket_room.py").path
        directory = try ScratchFolder()
        service = try Service(
            "/usr/bin/python3",
            ["-W", "ignore", script, String(proxy.port), directory.path, form])
    }

    /// What the server heard over its next connection, once that is over, and the code that it was
    /// closed with.
    func next() throws -> (heard: [Heard], code: Int) {
        let words = try service.readLine().split(separator: " ").compactMap { Int($0) }
        guard words.count == 2 else { throw Tool.Failure(description: service.errors) }
        let report = try Data(
            contentsOf: URL(fileURLWithPath: "\(directory.path)/\(words[0])"))
        let all = try JSONSerialization.jsonObject(with: report) as? [[Any]] ?? []
        let heard = all.compactMap { parts -> Heard? in
            guard parts.count == 3, let kind = parts[0] as? String,
                let text = parts[1] as? String, let bytes = Data(base64Encoded: text),
                let isAhead = parts[2] as? Bool
            else { return nil }
            return Heard(kind: kind, bytes: bytes, wasFollowedAtOnce: isAhead)
        }
        guard heard.count == all.count else { throw Tool.Failure(description: "no messages") }
        return (heard, words[1])
    }
}
