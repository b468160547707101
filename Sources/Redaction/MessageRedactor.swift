package import ProxydHTTPModel
internal import ProxydParameterCoding

/// Removes credentials from messages: by name from JSON in WebSocket messages and events. All other
/// content is left out, since it cannot be searched.
package struct MessageRedactor: Sendable {
    /// The effect of redaction on the content of a message.
    package enum Change: Sendable, Hashable {
        /// The message contains no credentials.
        case unchanged
        /// The content without its credentials.
        case replaced([UInt8])
        /// The only part of the content that may remain.
        case leftOut([UInt8])
    }

    private let bodies: BodyRedactor

    /// Creates a redactor that hides the values of these names.
    package init(_ names: SecretNames) { bodies = BodyRedactor(names) }

    /// The change to a message. `isWhole` is true if its content is complete.
    package func change(
        _ bytes: [UInt8], _ kind: MessageRecord.Kind, isWhole: Bool
    ) -> Change {
        guard !bytes.isEmpty else { return .unchanged }
        switch kind {
        case .text: return isWhole ? json(bytes) : .leftOut([])
        case .event: return isWhole ? event(bytes) : .leftOut([])
        // The code reveals nothing about a person, but the reason may.
        case .close where bytes.count <= 2: return .unchanged
        case .close: return .leftOut(Array(bytes.prefix(2)))
        case .binary, .ping, .pong, .grpc, .trailers, .comment, .invalid: return .leftOut([])
        }
    }

    private func json(_ bytes: [UInt8]) -> Change {
        switch bodies.jsonChange(bytes) {
        case .unchanged: .unchanged
        case .replaced(let changed, _): .replaced(changed)
        case .removed: .leftOut([])
        }
    }

    /// An event whose data is JSON keeps its name, its id and its retry time. Comments and unknown
    /// fields can contain anything and are removed.
    private func event(_ bytes: [UInt8]) -> Change {
        var output: [UInt8] = []
        var isChanged = false
        var isLineLeftOut = false
        for line in MessageRedactor.lines(of: bytes) {
            let end = line.reversed().prefix { $0 == 0x0A || $0 == 0x0D }.count
            let field = line.dropLast(end).prefix { $0 != UInt8(ascii: ":") }
            switch String(decoding: field, as: UTF8.self) {
            case "data" where field.count + end < line.count:
                let value = line.dropLast(end).dropFirst(field.count + 1).drop { $0 == 0x20 }
                switch value.isEmpty ? .unchanged : json(Array(value)) {
                case .unchanged: output += line
                case .replaced(let changed):
                    isChanged = true
                    output += Array("data: ".utf8) + changed + Array(line.suffix(end))
                case .leftOut: return .leftOut([])
                }
            case "data", "event", "id", "retry": output += line
            case "" where line.count == end: output += line
            default: isLineLeftOut = true
            }
        }
        if isLineLeftOut { return .leftOut(output) }
        return isChanged ? .replaced(output) : .unchanged
    }

    /// Splits bytes into lines that include their line ends.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for index in bytes.indices where bytes[index] == 0x0A || bytes[index] == 0x0D {
            let next = index + 1 < bytes.count ? bytes[index + 1] : nil
            if bytes[index] == 0x0D, next == 0x0A { continue }
            lines.append(bytes[start...index])
            start = index + 1
        }
        if start < bytes.count { lines.append(bytes[start...]) }
        return lines
    }
}
