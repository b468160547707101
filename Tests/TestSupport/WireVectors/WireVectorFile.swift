internal import Foundation
internal import ProxydHTTPModel

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
