internal import FoundationEssentials
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Names for downloaded files.
enum DownloadName {
    /// The URL of the response while a destination closure runs. The closure gets only the head,
    /// which does not contain the URL.
    @TaskLocal static var url: RawURL?

    /// The longest name that most file systems allow, in bytes.
    private static let byteCountMax = 255

    /// A safe name for the response from `url`, like Foundation's `suggestedFilename`: the one in
    /// Content-Disposition (RFC 6266), or the last component of the URL's path, or its host. The
    /// last two get an extension for the Content-Type if they have none.
    static func suggested(by response: ResponseHead) -> String? {
        if let value = response.fields["Content-Disposition"],
            let name = fileName(in: value).flatMap(safe)
        {
            return name
        }
        guard let url else { return nil }
        let usual = response.fields["Content-Type"].flatMap(FileMediaType.usualExtension)
        if let name = lastComponent(of: url).flatMap(safe) {
            return name.contains(".") ? name : appending(usual, to: name)
        }
        return safe(url.host).flatMap { appending(usual, to: $0) }
    }

    /// The component percent-decoded, or unchanged if the result is not valid text.
    private static func lastComponent(of url: RawURL) -> String? {
        url.pathText.split(separator: "/").last.map { percentDecoded($0) ?? String($0) }
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        var decoded: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            let digits = Substring(rest.prefix(2))
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else { return nil }
            decoded.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func appending(_ fileExtension: String?, to name: String) -> String? {
        safe(fileExtension.map { "\(name).\($0)" } ?? name)
    }

    /// A name that is a single path component and not hidden, or nil if nothing is left.
    static func safe(_ name: String) -> String? {
        // Splits by scalars, not by `Character`: a slash followed by a combining mark is one
        // `Character`.
        let components = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        guard let last = components.last else { return nil }
        var kept = String.UnicodeScalarView(last.filter { $0.value >= 0x20 && $0.value != 0x7F })
        while let first = kept.first, first == "." || first == " " { kept.removeFirst() }
        while String(kept).utf8.count > byteCountMax { kept.removeLast() }
        return kept.isEmpty ? nil : String(kept)
    }

    /// `$XDG_DOWNLOAD_DIR`, or `~/Downloads` if it is not set.
    static var userDirectory: String {
        let environment = ProcessInfo.processInfo.environment
        if let directory = environment["XDG_DOWNLOAD_DIR"], directory.hasPrefix("/") {
            return directory
        }
        return (environment["HOME"] ?? FileManager.default.temporaryDirectory.path) + "/Downloads"
    }

    /// `filename*` (RFC 8187) takes precedence over `filename`.
    private static func fileName(in value: String) -> String? {
        var plain: String?
        for (name, text) in parameters(of: value) {
            if name == "filename*", let decoded = extended(text) { return decoded }
            if name == "filename", plain == nil { plain = text }
        }
        return plain
    }

    private static func extended(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
        return percentDecoded(parts[2])
    }

    /// Parameters with names in lower case and values without quotation marks.
    private static func parameters(of value: String) -> [(String, String)] {
        var found: [(String, String)] = []
        var rest = value.drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            var text = ""
            if rest.first == "=" { (text, rest) = parameterValue(rest.dropFirst()) }
            found.append((name.filter { $0 != " " }.lowercased(), text))
            rest = rest.drop { $0 != ";" }
        }
        return found
    }

    private static func parameterValue(_ rest: Substring) -> (String, Substring) {
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != ";" }
            return (String(token.filter { $0 != " " }), rest.dropFirst(token.count))
        }
        var text = ""
        var index = rest.index(after: rest.startIndex)
        while index < rest.endIndex, rest[index] != "\"" {
            if rest[index] == "\\", rest.index(after: index) < rest.endIndex {
                index = rest.index(after: index)
            }
            text.append(rest[index])
            index = rest.index(after: index)
        }
        return (text, index < rest.endIndex ? rest[rest.index(after: index)...] : "")
    }
}
