package import ProxydHTTPModel

/// Removes credentials from events (WHATWG HTML §9.2.6): from the data of each, as JSON or text,
/// and from its other fields.
struct EventRedactor: Sendable {
    /// What to do with anything but JSON: other data, comments, and fields without meaning.
    enum Rest {
        case isSearched
        case isLeftOut
    }

    let redaction: Redaction
    let rest: Rest

    /// An event, or the lines of one, without credentials.
    struct Result {
        var bytes: [UInt8] = []
        /// Whether something was left out because it could not be read.
        var isLeftOut = false
        /// Whether there are comments, or lines without meaning.
        fileprivate var hasOthers = false
    }

    /// A stream without credentials. `isLeftOut` is true if lines are missing.
    func redacted(_ bytes: [UInt8]) -> Result {
        var result = Result()
        var event: [Line] = []
        for line in EventRedactor.lines(of: bytes) {
            event.append(line)
            if line.isEmpty { finish(&event, &result) }
        }
        finish(&event, &result)
        // With lines of another kind, it may not be an event stream at all.
        if result.hasOthers { result.bytes = Array(searched(result.bytes[...])) }
        return result
    }

    private func finish(_ lines: inout [Line], _ result: inout Result) {
        defer { lines = [] }
        let data = lines.filter { $0.field == "data" }
        guard var shown = data.isEmpty ? [] : redacted(data) else {
            result.isLeftOut = true
            return
        }
        for line in lines {
            switch line.field {
            case "data":
                // All lines of data are written where the first one was.
                result.bytes += shown
                shown = []
            case "event": result.bytes += line.replacing(searched(line.value))
            case "id": result.bytes += line.replacing(isPlainID(line.value) ? line.value : hidden)
            case "retry":
                let isNumber = line.value.allSatisfy(TextBytes.isDigit)
                result.bytes += line.replacing(isNumber ? line.value : hidden)
            case _ where line.isEmpty: result.bytes += line.bytes
            default:
                switch rest {
                case .isSearched:
                    result.bytes += line.bytes
                    result.hasOthers = true
                case .isLeftOut: result.isLeftOut = true
                }
            }
        }
    }

    private var hidden: ArraySlice<UInt8> { Array(Redaction.placeholder.utf8)[...] }

    private func searched(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        redaction.scanner.redacted(Array(text)).map { $0[...] } ?? text
    }

    /// Whether an event's ID can only be an ID: a number, a time, or a UUID. Others may be
    /// anything, and are of no use to a reader.
    private func isPlainID(_ value: ArraySlice<UInt8>) -> Bool {
        guard value.count <= 64 else { return false }
        if value.allSatisfy({ TextBytes.isDigit($0) || "-:._, ".utf8.contains($0) }) { return true }
        let parts = value.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && value.allSatisfy { $0 == 0x2D || Unicode.Scalar($0).properties.isASCIIHexDigit }
    }

    // MARK: Data

    /// The lines of data without credentials; nil if they cannot be read.
    private func redacted(_ lines: [Line]) -> [UInt8]? {
        let newline: [UInt8] = [0x0A]
        let data = Array(lines.map(\.value).joined(separator: newline))
        let unchanged = Array(lines.map(\.bytes).joined())
        guard !data.isEmpty else { return unchanged }
        let shown: [UInt8]
        if let json = JSONRedactor.redacted(data, redaction) {
            shown = json
        } else if case .isSearched = rest {
            shown = redaction.scanner.redacted(data) ?? data
        } else {
            return nil
        }
        if shown == data { return unchanged }
        let end = Array(lines[0].end)
        return shown.split(separator: 0x0A, omittingEmptySubsequences: false)
            .flatMap { Array("data: ".utf8) + $0 + (end.isEmpty ? newline : end) }
            .dropLast(end.isEmpty ? 1 : 0)
    }

    // MARK: Lines

    private struct Line {
        /// The line with its end.
        let bytes: ArraySlice<UInt8>
        let end: ArraySlice<UInt8>
        let field: String
        /// The value, without the space that may precede it.
        let value: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
            end = bytes.suffix(bytes.reversed().prefix { $0 == 0x0A || $0 == 0x0D }.count)
            let text = bytes.dropLast(end.count)
            let name = text.prefix { $0 != UInt8(ascii: ":") }
            field = String(decoding: name, as: UTF8.self)
            let rest = text.dropFirst(name.count + 1)
            value = rest.first == 0x20 ? rest.dropFirst() : rest
        }

        var isEmpty: Bool { bytes.count == end.count }

        func replacing(_ other: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            guard other != value else { return bytes }
            return bytes[..<value.startIndex] + other + end
        }
    }

    /// Splits bytes into lines that include their ends.
    private static func lines(of bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        for index in bytes.indices where bytes[index] == 0x0A || bytes[index] == 0x0D {
            let next = index + 1 < bytes.count ? bytes[index + 1] : nil
            if bytes[index] == 0x0D, next == 0x0A { continue }
            lines.append(Line(bytes[start...index]))
            start = index + 1
        }
        if start < bytes.count { lines.append(Line(bytes[start...])) }
        return lines
    }
}

/// Removes credentials from messages: from JSON in WebSocket messages and events. All other content
/// is left out, since it cannot be searched.
package struct MessageRedactor: Sendable {
    /// The effect of redaction on the content of a message.
    package enum Change: Sendable, Hashable {
        case unchanged
        /// The content without its credentials.
        case replaced([UInt8])
        /// The only part of the content that may remain.
        case leftOut([UInt8])
    }

    private let redaction: Redaction

    package init(_ redaction: Redaction) { self.redaction = redaction }

    /// The change to a message. `isWhole` is true if its content is complete.
    package func change(_ bytes: [UInt8], _ kind: MessageRecord.Kind, isWhole: Bool) -> Change {
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
        guard let shown = JSONRedactor.redacted(bytes, redaction) else { return .leftOut([]) }
        return shown == bytes ? .unchanged : .replaced(shown)
    }

    private func event(_ bytes: [UInt8]) -> Change {
        let shown = EventRedactor(redaction: redaction, rest: .isLeftOut).redacted(bytes)
        if shown.isLeftOut { return .leftOut(shown.bytes) }
        return shown.bytes == bytes ? .unchanged : .replaced(shown.bytes)
    }
}
