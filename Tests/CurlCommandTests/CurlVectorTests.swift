import Foundation
import ProxydCurlCommand
import ProxydHTTPModel
import Testing

/// What other libraries' descriptions look like: ours has the same parts, but within single
/// quotes, with the fields and secrets as `CurlCommand` says.
@Suite(.enabled(if: SharedVectors.folder != nil, SharedVectors.absence))
struct CurlVectorTests {
    /// Cases that hold only when one asks for it, or that we deliberately do not do, by id.
    private static let refused: Set = ["curl-305", "curl-309", "curl-312"]

    @Test
    func `curl command descriptions match the shared test vectors, except for known deviations`()
        throws
    {
        let cases = try SharedVectors.cases(ofKind: "curl")
        #expect(cases.count >= 8)
        for item in cases {
            let id = try #require(item["id"] as? String)
            let options = item["options"] as? [String: Any] ?? [:]
            let expected = try #require(item["expected"] as? [String: Any])
            let holds = self.holds(expected, of: description(options))
            #expect(holds != Self.refused.contains(id), "\(id)")
            if item["adopt"] as? String == "yes" { #expect(holds, "\(id)") }
        }
    }

    private func description(_ options: [String: Any]) -> String {
        if options["url"] is NSNull { return CurlCommand.unavailableDescription }
        let text = options["url"] as? String ?? "https://example.com/get"
        let path = text.dropFirst("https://example.com".count)
        let url = RawURL(scheme: "https", host: "example.com", port: 443, origin: Array(path.utf8))
        var fields = HeaderFields()
        for pair in options["headers"] as? [[String]] ?? [] {
            fields.append(name: pair[0], value: pair[1])
        }
        var body = CurlBody.none
        if options["multipart"] != nil {
            fields.append(name: "Content-Type", value: "multipart/form-data; boundary=b")
            body = .omitted
        }
        if let object = options["bodyJSON"] {
            fields.append(name: "Content-Type", value: "application/json")
            let data = try? JSONSerialization.data(withJSONObject: object)
            body = .bytes(Array(data ?? Data()))
        }
        var settings = CurlOptions(redaction: nil, isHeadComplete: false)
        if let user = options["authenticate"] as? [String] {
            settings.user = CurlUser(name: user[0], password: user[1])
        }
        let method = HTTPMethod(rawValue: options["method"] as? String ?? "GET")
        let command = CurlCommand(
            method: method, url: url, fields: fields, body: body, options: settings)
        return command?.description ?? CurlCommand.unavailableDescription
    }

    private func holds(_ expected: [String: Any], of description: String) -> Bool {
        let text = description.replacing("'", with: "\"").replacing("\"user:", with: "user:")
        return expected.allSatisfy { key, value in
            switch key {
            case "startsWith":
                text.split(separator: " ").prefix(3).map { $0.trimmingCharacters(in: .whitespaces) }
                    == value as? [String]
            case "endsWith": text.hasSuffix(value as? String ?? "?")
            case "separator": text.contains(value as? String ?? "?")
            case "contains": (value as? [String] ?? []).allSatisfy(text.contains)
            case "notContains": !(value as? [String] ?? []).contains(where: text.contains)
            case "equals": text == value as? String
            case "count":
                (value as? [String: Int] ?? [:]).allSatisfy { word, count in
                    text.components(separatedBy: word).count - 1 == count
                }
            default: false
            }
        }
    }
}

/// The vectors that lie beside the repository.
enum SharedVectors {
    static let absence: Comment = "no ../shared/vectors beside the repository"

    static let folder: URL? = {
        var directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            let candidate = directory.appending(path: "../shared/vectors").standardized
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
            directory.deleteLastPathComponent()
        }
        return nil
    }()

    /// Strings that break programs.
    static func strings() throws -> [String] {
        let file = try #require(folder).appending(path: "strings/blns.json")
        return try JSONDecoder().decode([String].self, from: Data(contentsOf: file))
    }

    /// The cases of one kind in `parameter-coding.json`.
    static func cases(ofKind kind: String) throws -> [[String: Any]] {
        let file = try #require(folder).appending(path: "parameter-coding.json")
        let all = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        return try #require(all as? [[String: Any]]).filter { $0["kind"] as? String == kind }
    }
}
