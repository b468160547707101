import Foundation

/// What Python's `re` makes of patterns, templates and texts.
struct PythonSubstitution: Codable {
    let pattern: String
    /// Written as Python writes templates.
    let template: String
    let text: String
    /// 0 for all.
    let count: Int

    static let interpreter: String? = ["/usr/bin/python3", "/usr/local/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private static let program = """
        import json, re, sys
        print(json.dumps([
            re.subn(c["pattern"], c["template"], c["text"], count=c["count"], flags=re.ASCII)
            for c in json.load(sys.stdin)]))
        """

    /// The new text of each case, and how many matches were replaced.
    static func results(of cases: [PythonSubstitution]) throws -> [(text: String, count: Int)] {
        let process = Process()
        process.executableURL = URL(filePath: interpreter ?? "")
        process.arguments = ["-c", program]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(cases))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode([Result].self, from: answer).map { ($0.text, $0.count) }
    }

    private struct Result: Decodable {
        let text: String
        let count: Int

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            text = try values.decode(String.self)
            count = try values.decode(Int.self)
        }
    }
}
