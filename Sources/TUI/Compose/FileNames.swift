internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydOperations

/// Suggests file names. Nothing that a server sent can choose a directory, hide a file, or control
/// the terminal.
enum FileNames {
    /// The maximum length of a name in characters.
    private static let lengthMax = 80

    static func export(_ format: ExportOrder.Format) -> String {
        switch format {
        case .har: "exchanges.har"
        case .curl: "exchanges.sh"
        case .jsonl: "exchanges.jsonl"
        case .openapi: "openapi.json"
        case .postman: "exchanges.postman_collection.json"
        case .k6: "exchanges.k6.js"
        }
    }

    /// The last segment of the path if it looks like a file name, otherwise a description and the
    /// exchange number.
    static func body(_ row: ExchangeRow, _ message: StoredMessage, fileExtension: String) -> String
    {
        let which = "\(message == .request ? "request" : "response")-\(row.name.fileName)"
        let last = (row.path ?? "").split(separator: "/").last.map(String.init) ?? ""
        let safe = safe(last)
        guard message == .response, !safe.isEmpty else { return "\(which).\(fileExtension)" }
        return hasExtension(safe) ? safe : "\(safe)-\(row.name.fileName).\(fileExtension)"
    }

    private static func safe(_ name: String) -> String {
        let letters = name.map { character -> Character in
            let isSafe =
                character.isASCII
                && (character.isLetter || character.isNumber || "._-".contains(character))
            return isSafe ? character : "_"
        }
        // A leading dot would hide the file, and a leading minus would make it an option.
        return String(String(letters.prefix(lengthMax)).drop { $0 == "." || $0 == "-" })
    }

    private static func hasExtension(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return false }
        let ending = name[name.index(after: dot)...]
        return (1...8).contains(ending.count) && ending.allSatisfy { $0.isLetter || $0.isNumber }
    }
}
