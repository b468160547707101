internal import Foundation
public import ProxydHTTPModel

/// One case of a Markdown vector file: a heading, a `wire` block and an `events` block.
///
/// The wire block's info string says `wire request` or `wire response`, then perhaps
/// `to=GET,HEAD` (methods answered) and `eof` (the connection ends after it).
public struct WireVector: Sendable, CustomStringConvertible {
    /// The file's name and the heading.
    public let title: String
    /// Whether a server sends this.
    public let isResponse: Bool
    /// The methods of the requests that are answered.
    public let methods: [HTTPMethod]
    /// Whether the connection ends after it.
    public let endsThere: Bool
    /// What is sent.
    public let bytes: [UInt8]
    /// What a decoder says of it.
    public let events: [String]

    /// The title.
    public var description: String { title }

    /// A case of a test's own.
    public init(
        title: String, isResponse: Bool, methods: [HTTPMethod], endsThere: Bool, bytes: [UInt8],
        events: [String]
    ) {
        self.title = title
        self.isResponse = isResponse
        self.methods = methods
        self.endsThere = endsThere
        self.bytes = bytes
        self.events = events
    }
}

/// The Markdown files of vectors in `Tests/HTTPWireTests/Vectors`.
public enum WireVectorFile {
    /// All cases of all files; an unreadable file is a case that fails.
    public static let all: [WireVector] = names.flatMap(read)

    /// The files' names, without `.md`.
    public static let names = [
        "request-lines", "request-fields", "request-framing", "chunked", "responses",
        "response-framing",
    ]

    /// The cases of one file.
    public static func read(_ name: String) -> [WireVector] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = tests.appending(path: "HTTPWireTests/Vectors/\(name).md")
        guard let text = try? String(contentsOf: url, encoding: .utf8) else {
            return [unreadable("\(name).md")]
        }
        return parse(text, file: name)
    }

    private static func unreadable(_ title: String) -> WireVector {
        WireVector(
            title: title,
            isResponse: false,
            methods: [],
            endsThere: false,
            bytes: [],
            events: ["the file can be read"]
        )
    }

    private static func parse(_ text: String, file: String) -> [WireVector] {
        var vectors: [WireVector] = []
        var title = ""
        var wire: (info: [Substring], bytes: [UInt8])?
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = lines.popFirst() {
            if line.hasPrefix("## ") { title = String(line.dropFirst(3)) }
            guard line.hasPrefix("```") else { continue }
            let info = line.dropFirst(3).split(separator: " ")
            let block = lines.prefix { $0 != "```" }
            lines = lines.dropFirst(block.count + 1)
            if info.first == "wire" {
                wire = (info, WireText.bytes(block.map { $0 + "\n" }.joined()))
            } else if info.first == "events", let found = wire {
                vectors.append(vector("\(file): \(title)", found.info, found.bytes, block))
                wire = nil
            }
        }
        return vectors
    }

    private static func vector(
        _ title: String,
        _ info: [Substring],
        _ bytes: [UInt8],
        _ events: ArraySlice<Substring>
    ) -> WireVector {
        let methods = info.first { $0.hasPrefix("to=") }?.dropFirst(3).split(separator: ",") ?? []
        return WireVector(
            title: title,
            isResponse: info.contains("response"),
            methods: methods.isEmpty ? [.get] : methods.map { HTTPMethod(rawValue: String($0)) },
            endsThere: info.contains("eof"),
            bytes: bytes,
            events: events.map(String.init)
        )
    }
}

/// Wire bytes as test files write them.
public enum WireText {
    /// Bytes of a text in which a line end is CRLF, a `\` at a line's end for no line end,
    /// and `\r \n \t \f \\ \0 \xHH` for what they always mean.
    public static func bytes(_ text: some StringProtocol) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\n") {
                bytes += [0x0D, 0x0A]
            } else if byte == UInt8(ascii: "\\") {
                bytes += escape(&rest)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func escape(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        switch rest.popFirst() {
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "0"): return [0x00]
        case UInt8(ascii: "x"):
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            rest = rest.dropFirst(2)
            return [UInt8(digits, radix: 16) ?? 0]
        case UInt8(ascii: "\n"): return []
        case let other?: return [other]
        case nil: return []
        }
    }

    /// Bytes as one line of text, the other way round.
    public static func escaped(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case 0x0D: text += "\\r"
            case 0x0A: text += "\\n"
            case 0x09: text += "\\t"
            case UInt8(ascii: "\\"): text += "\\\\"
            case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16)
                text += "\\x" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return text
    }
}
