package import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Suggests file names. Nothing that a server sent can choose a directory, hide a file, or control
/// the terminal.
package enum FileNames {
    private static let lengthMax = 80

    /// The path's last segment if it looks like a file name, else a description and the number.
    package static func body(
        _ row: ExchangeRow, _ message: StoredMessage, fileExtension: String
    ) -> String {
        let which = "\(message == .request ? "request" : "response")-\(row.name.fileName)"
        let last = (row.path ?? "").split(separator: "/").last.map(String.init) ?? ""
        let safe = safe(last)
        guard message == .response, !safe.isEmpty else { return "\(which).\(fileExtension)" }
        return hasExtension(safe) ? safe : "\(safe)-\(row.name.fileName).\(fileExtension)"
    }

    /// The name of a file with the body of a response, whose type is only known from its head.
    package static func response(_ row: ExchangeRow) -> String {
        let facts = BodyFacts(contentType: row.responseContentType, bytes: [0x20])
        return body(row, .response, fileExtension: fileExtension(facts))
    }

    /// The ending of a file with a body, without the dot.
    package static func fileExtension(_ facts: BodyFacts) -> String {
        switch facts.kind {
        case .json, .jsonLines: "json"
        case .xml, .propertyListXML: "xml"
        case .html: "html"
        case .css: "css"
        case .javaScript: "js"
        case .plainText, .form, .eventStream, .multipart, .multipartForm, .empty: "txt"
        case .image(let subtype): subtype.allSatisfy { $0.isASCII && $0.isLetter } ? subtype : "img"
        case .pdf: "pdf"
        case .webAssembly: "wasm"
        default: "bin"
        }
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
