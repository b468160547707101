internal import ProxydCivilTime
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// Reads the messages of a WebSocket as Fiddler saves them: for each frame a few lines, an empty
/// line, the bytes of the frame, and a line end.
///
/// ```
/// Request-Length: 11
/// ID: 1
/// DoneRead: 2026-11-23T01:00:00.1000000+00:00
///
/// (11 bytes)
/// ```
enum FiddlerMessages {
    static let byteCountMax = 64 << 20
    private static let lineCountMax = 32

    static func messages(
        _ bytes: [UInt8], request: HeaderFields, response: HeaderFields, startedAt: Int64
    ) -> [MessageRecord] {
        let agreement = try? WebSocketAgreement(request: request, response: response)
        let observer = WebSocketObserver(agreement: agreement ?? WebSocketAgreement())
        var messages: [MessageRecord] = []
        var rest = bytes[...]
        var offset: Int64 = 0
        func tell(_ message: consuming MessageRecord) {
            message.position = Int64(messages.count)
            message.offsetNs = offset
            messages.append(message)
        }
        while let frame = next(&rest) {
            if let at = frame.at, at > startedAt { offset = at - startedAt }
            observer.receive(frame.bytes.span, frame.direction, tell)
        }
        observer.end(tell)
        return messages
    }

    private struct Frame {
        let direction: MessageRecord.Direction
        let at: Int64?
        let bytes: ArraySlice<UInt8>
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> Frame? {
        var direction: MessageRecord.Direction?
        var length = 0
        var at: Int64?
        for _ in 0..<lineCountMax {
            guard let line = line(&rest) else { return nil }
            if line.isEmpty {
                // The line end behind the frame before this one.
                guard let direction else { continue }
                guard length <= rest.count else { return nil }
                defer { rest = rest.dropFirst(length) }
                return Frame(direction: direction, at: at, bytes: rest.prefix(length))
            }
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let value = String(parts[1].drop { $0 == " " })
            switch parts[0] {
            case "Request-Length", "Response-Length":
                guard let count = Int(value), count >= 0 else { return nil }
                direction = parts[0] == "Request-Length" ? .toServer : .toClient
                length = count
            case "DoneRead": at = RFC3339.nanoseconds(value)
            default: break
            }
        }
        return nil
    }

    private static func line(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard let end = rest.prefix(1_024).firstIndex(of: 0x0A) else { return nil }
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }
}
