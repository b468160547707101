import Foundation
import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// A HAR log of another program as a test writes it.
enum HARText {
    /// An entry of which each part is JSON.
    static func entry(
        url: String = "http://a.test/", method: String = "GET", version: String = "HTTP/1.1",
        headers: String = "", request: String = "", response: String = #"{"status":204}"#,
        more: String = ""
    ) -> String {
        #"""
        {"startedDateTime":"2024-01-01T00:00:00Z","request":{"method":"\#(method)","url":"\#(url)",
        "httpVersion":"\#(version)","headers":[\#(headers)]\#(request)},
        "response":\#(response)\#(more)}
        """#
    }

    static func log(_ entries: String...) -> [UInt8] {
        Array(#"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#.utf8)
    }

    /// The only exchange of a log with this entry.
    static func imported(_ entry: String) throws -> ImportedExchange {
        let entries = try InterchangeReader.entries(of: log(entry))
        #expect(entries.count == 1)
        return try #require(entries.first).get()
    }

    /// What is reported of a log with this entry.
    static func refusals(_ entry: String) throws -> [String] {
        try InterchangeReader.entries(of: log(entry)).compactMap {
            if case .failure(let problem) = $0 { problem.message } else { nil }
        }
    }

    /// Why a log with this entry gives nothing; nil if it gives an exchange.
    static func refusal(_ entry: String) throws -> String? {
        let entries = try InterchangeReader.entries(of: log(entry))
        guard case .failure(let problem)? = entries.first else { return nil }
        return problem.message
    }
}

/// Files of other programs in ../shared/vectors/imports beside the repository.
enum ImportVectors {
    /// The folder; nil where it is not.
    static let folder: String? = {
        var directory = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        while directory.path != "/" {
            directory.deleteLastPathComponent()
            let folder = directory.path + "/shared/vectors/imports"
            if FileManager.default.fileExists(atPath: folder) { return folder }
        }
        return nil
    }()

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder ?? "")/\(name)")))
    }
}
