internal import ProxydFilter
internal import ProxydParameterCoding

/// What a golden file does not contain, because it differs from run to run.
public struct GoldenMasks: Sendable {
    /// What is written in place of a value.
    package static let mark = "***"
    /// Fields that are left out: they differ from run to run, or only say how the response came.
    static let volatileFields: Set<String> = [
        "date", "age", "expires", "etag", "server-timing", "x-request-id", "content-length",
        "content-encoding", "transfer-encoding", "connection", "keep-alive", "trailer",
        "alt-svc", "via",
    ]

    /// Names of header fields, in lower case.
    var fields: Set<String> = []
    var queryNames: Set<String> = []
    var formNames: Set<String> = []
    var jsonPaths: [[JSONValuePath]] = []
    var patterns: [RegexReplacement] = []
    var hidesHost = false
    var hidesPort = false

    /// No masks but the default ones.
    public init() {}

    /// Adds a mask as it is written in a file; returns what is wrong with it, or nil.
    package mutating func add(_ text: String) -> String? {
        if let name = GoldenMasks.rest(of: text, after: "resheader.") {
            fields.insert(name.lowercased())
        } else if let name = GoldenMasks.rest(of: text, after: "query:") {
            queryNames.insert(name)
        } else if let name = GoldenMasks.rest(of: text, after: "form:") {
            formNames.insert(name)
        } else if let path = GoldenMasks.rest(of: text, after: "json:") {
            return addPath(path)
        } else if let pattern = GoldenMasks.rest(of: text, after: "body~") {
            return addPattern(pattern)
        } else if text == "host" {
            hidesHost = true
        } else if text == "port" {
            hidesPort = true
        } else {
            return "cannot mask \(text): write resheader.NAME, json:PATH, query:NAME, form:NAME, "
                + "body~REGEX, host or port"
        }
        return nil
    }

    private static func rest(of text: String, after prefix: String) -> String? {
        guard text.hasPrefix(prefix), text.count > prefix.count else { return nil }
        return String(text.dropFirst(prefix.count))
    }

    /// `items[*].id` is a path to an array, and one in each of its elements.
    private mutating func addPath(_ text: String) -> String? {
        var paths: [JSONValuePath] = []
        for piece in GoldenMasks.pieces(of: text) {
            guard let path = try? JSONValuePath(piece) else {
                return "\(text) is not a JSON path such as user.tags[0] or items[*].id"
            }
            paths.append(path)
        }
        jsonPaths.append(paths)
        return nil
    }

    private static func pieces(of text: String) -> [String] {
        var pieces: [String] = [""]
        var rest = text[...]
        while let first = rest.first {
            if rest.hasPrefix("[*]") {
                rest = rest.dropFirst(3)
                if rest.first == "." { rest = rest.dropFirst() }
                pieces.append("")
            } else {
                pieces[pieces.count - 1].append(first)
                rest = rest.dropFirst()
            }
        }
        return pieces
    }

    private mutating func addPattern(_ text: String) -> String? {
        do throws(RegexError) {
            patterns.append(
                try RegexReplacement(
                    pattern: text, template: GoldenMasks.mark, isForBodies: true))
            return nil
        } catch {
            return "regular expression: \(error)"
        }
    }
}
