import Foundation
import HTTPModel

/// The Markdown files of vectors beside the tests.
enum VectorFile {
    /// All cases of all files; an unreadable file is a case that fails.
    static let all: [Vector] = names.flatMap(read)

    static let names = [
        "request-lines", "request-fields", "request-framing", "chunked", "responses",
        "response-framing",
    ]

    static func read(_ name: String) -> [Vector] {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/\(name).md")
        guard let text = try? String(contentsOf: url, encoding: .utf8) else {
            return [unreadable("\(name).md")]
        }
        return parse(text, file: name)
    }

    private static func unreadable(_ title: String) -> Vector {
        Vector(
            title: title,
            isResponse: false,
            methods: [],
            endsThere: false,
            octets: [],
            events: ["the file can be read"]
        )
    }

    private static func parse(_ text: String, file: String) -> [Vector] {
        var vectors: [Vector] = []
        var title = ""
        var wire: (info: [Substring], octets: [UInt8])?
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = lines.popFirst() {
            if line.hasPrefix("## ") { title = String(line.dropFirst(3)) }
            guard line.hasPrefix("```") else { continue }
            let info = line.dropFirst(3).split(separator: " ")
            let block = lines.prefix { $0 != "```" }
            lines = lines.dropFirst(block.count + 1)
            if info.first == "wire" {
                wire = (info, WireText.octets(block.map { $0 + "\n" }.joined()))
            } else if info.first == "events", let found = wire {
                vectors.append(vector("\(file): \(title)", found.info, found.octets, block))
                wire = nil
            }
        }
        return vectors
    }

    private static func vector(
        _ title: String,
        _ info: [Substring],
        _ octets: [UInt8],
        _ events: ArraySlice<Substring>
    ) -> Vector {
        let methods = info.first { $0.hasPrefix("to=") }?.dropFirst(3).split(separator: ",") ?? []
        return Vector(
            title: title,
            isResponse: info.contains("response"),
            methods: methods.isEmpty ? [.get] : methods.map { HTTPMethod(rawValue: String($0)) },
            endsThere: info.contains("eof"),
            octets: octets,
            events: events.map(String.init)
        )
    }
}
