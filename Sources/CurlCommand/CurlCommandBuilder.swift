internal import ProxydHTTPModel
internal import ProxydRedaction

struct CurlCommandBuilder {
    /// Options with their values, quoted.
    private(set) var options: [String]
    private(set) var url: String
    /// The command whose output is piped to curl, or nil if curl reads no input.
    private(set) var input: String?
    var omissions: [CurlOmission] = []

    private let method: HTTPMethod
    private let address: RawURL
    private let settings: CurlOptions

    /// Linux does not accept an argument over 128 KiB; longer bodies go through standard input.
    private static let wordByteCountMax = 65_536
    /// For smaller bodies curl never sends Expect.
    private static let expectByteCountMin = 1_024

    init(method: HTTPMethod, url: RawURL, options: CurlOptions) {
        self.method = method
        self.address = url
        self.settings = options
        let token = Array(method.rawValue.utf8)
        let isPlain = token.allSatisfy { ASCII.lowercased($0) &- 0x61 < 26 }
        self.options = ["-X " + (isPlain && !token.isEmpty ? method.rawValue : quoted(token))]
        self.url = ""
    }

    /// Adds the URL, and options that keep curl from changing it.
    mutating func addTarget(_ bytes: [UInt8]) {
        let target = settings.redaction?.target(bytes) ?? bytes
        if address.scheme.isEmpty, address.host.isEmpty {
            url = quoted(target)
            return
        }
        let base = "\(address.scheme)://\(address.authority)"
        if CurlTarget.fitsURL(target) {
            let text = base + String(decoding: target, as: UTF8.self)
            if CurlTarget.hasGlob(text.utf8) { options.append("--globoff") }
            if CurlTarget.hasDotSegment(target) { options.append("--path-as-is") }
            url = ShellWord.quoted(text)
        } else {
            if CurlTarget.hasGlob(base.utf8) { options.append("--globoff") }
            options.append("--request-target " + quoted(target))
            url = ShellWord.quoted(base + "/")
        }
    }

    /// Without TLS curl uses HTTP/1.1 anyway; with TLS it prefers HTTP/2.
    mutating func addVersion(_ version: HTTPVersion) {
        if version >= .http2 {
            options.append(address.scheme == "https" ? "--http2" : "--http2-prior-knowledge")
        } else if version < .http11 {
            options.append("--http1.0")
        } else if address.scheme == "https" {
            options.append("--http1.1")
        }
    }

    /// `authority` is the one of HTTP/2, which curl derives from the URL, or from a Host field.
    mutating func add(
        fields: HeaderFields, authority: [UInt8]?, body: CurlBody, wasForProxy: Bool
    ) {
        let names = fields.lines.map { lowercased(fields.bytes[$0.nameRange]) }
        let shown = redacted(body, fields: fields)
        let lengths = fields.values(named: "content-length")
        let isFramed = fields.first(.transferEncoding) != nil || lengths == ["0"]
        let content = sent(shown, isFramed: isFramed)
        if content == .none, !lengths.isEmpty, lengths != ["0"] { omissions.append(.contentLength) }

        if let authority {
            addAuthority(authority)
        } else {
            addHostSwitch(fields, names: names)
        }
        for (line, name) in zip(fields.lines, names) {
            if wasForProxy, name == "proxy-connection" || name == "proxy-authorization" { continue }
            // curl computes it itself: the body may be edited, and a wrong length would hang.
            if line.name == .contentLength { continue }
            if line.name == .host, authority != nil { continue }
            if line.name == .host, isHostCurls(fields, line: line, names: names) { continue }
            add(line: line, of: fields)
        }
        addSwitches(names: names, content: content)
        addUser()
        add(content)
    }

    // MARK: Fields

    /// curl writes Host first, unless it is switched off before it is given.
    private mutating func addHostSwitch(_ fields: HeaderFields, names: [String]) {
        let index = names.firstIndex(of: "host")
        let isSwitchedOff = index == nil ? settings.isHeadComplete : index != 0
        if isSwitchedOff { options.append("-H 'Host:'") }
    }

    private mutating func addAuthority(_ authority: [UInt8]) {
        guard !authority.elementsEqual(address.authority.utf8) else { return }
        options.append("-H " + quoted(Array("Host: ".utf8) + authority))
    }

    /// Whether a Host line is the same as curl's default: the first line, in that spelling.
    private func isHostCurls(
        _ fields: HeaderFields, line: HeaderFields.Line, names: [String]
    ) -> Bool {
        let own = "Host: \(address.authority)\r\n"
        return names.first == "host" && names.count { $0 == "host" } == 1
            && address.host == lowercased(address.host.utf8)
            && fields.bytes[line.range].elementsEqual(own.utf8)
    }

    private mutating func add(line: HeaderFields.Line, of fields: HeaderFields) {
        let name = fields.name(of: line)
        var bytes = Array(fields.bytes[line.range])
        while bytes.last == 0x0A || bytes.last == 0x0D { bytes.removeLast() }
        guard !bytes.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else {
            omissions.append(.field(name: name))
            return
        }
        if line.valueRange.isEmpty {
            // A name with a colon would switch a field off; with a semicolon it is sent empty.
            bytes = Array(fields.bytes[line.nameRange]) + [UInt8(ascii: ";")]
        } else if let redaction = settings.redaction {
            let value = Array(fields.bytes[line.valueRange])
            bytes =
                fields.bytes[Int(line.start)..<line.valueRange.lowerBound]
                + redaction.value(value, ofField: name)
        }
        options.append("-H " + quoted(bytes))
    }

    /// Switches off fields that curl would add by default.
    private mutating func addSwitches(names: [String], content: CurlBody) {
        guard settings.isHeadComplete else { return }
        if !names.contains("user-agent") { options.append("-H 'User-Agent:'") }
        if !names.contains("accept") { options.append("-H 'Accept:'") }
        guard content != .none else { return }
        if !names.contains("content-type") { options.append("-H 'Content-Type:'") }
        if !names.contains("expect"), !isShort(content) { options.append("-H 'Expect:'") }
    }

    private func isShort(_ content: CurlBody) -> Bool {
        guard case .bytes(let bytes) = content else { return false }
        return bytes.count < CurlCommandBuilder.expectByteCountMin
    }

    private mutating func addUser() {
        if let user = settings.user {
            let isHidden = settings.redaction?.hidesField(named: "authorization") ?? false
            let password = isHidden ? Redaction.placeholder : user.password
            options.append("-u " + ShellWord.quoted("\(user.name):\(password)"))
        }
        if let cookies = settings.cookies {
            // curl interprets text without an equals sign as a file name.
            let value = settings.redaction?.value(cookies, ofField: "cookie") ?? cookies
            let isNamed = value.contains(UInt8(ascii: "="))
            options.append("-b " + quoted(isNamed ? value : Array("cookies=".utf8) + value))
        }
    }

    // MARK: Body

    private func redacted(_ body: CurlBody, fields: HeaderFields) -> CurlBody {
        guard case .bytes(let bytes) = body, let redaction = settings.redaction else { return body }
        return redaction.body(bytes, fields: fields).map { .bytes($0) } ?? .omitted
    }

    /// Adds the body to the command. An empty body that was framed still needs its length, or its
    /// last chunk if it was chunked.
    private mutating func sent(_ body: CurlBody, isFramed: Bool) -> CurlBody {
        var body = body
        if body == .none, isFramed { body = .bytes([]) }
        if body == .omitted { omissions.append(.body) }
        guard method == .head, body != .none, body != .omitted else { return body }
        if body != .bytes([]) { omissions.append(.bodyOfHead) }
        return .none
    }

    private mutating func add(_ content: CurlBody) {
        switch content {
        case .none, .omitted:
            if method == .head { options.append("--head") }
        case .file(let path): options.append("--data-binary " + ShellWord.quoted("@" + path))
        case .bytes(let bytes):
            guard let text = ShellWord.plainText(bytes) else {
                input = "printf '\(ShellWord.printfFormat(bytes))'"
                options.append("--data-binary @-")
                return
            }
            if bytes.count > CurlCommandBuilder.wordByteCountMax {
                input = "printf '%s' \(ShellWord.quoted(text))"
                options.append("--data-binary @-")
            } else {
                // An at sign would denote a file.
                let option = bytes.first == UInt8(ascii: "@") ? "--data-raw " : "--data-binary "
                options.append(option + ShellWord.quoted(text))
            }
        }
    }
}

private func quoted(_ bytes: [UInt8]) -> String { ShellWord.quoted(bytes) }

private func lowercased(_ bytes: some Sequence<UInt8>) -> String {
    ASCII.text(bytes.map(ASCII.lowercased))
}

/// How curl treats a request target that is part of a URL.
enum CurlTarget {
    /// Whether curl sends it unchanged, apart from dot segments and globs. curl would remove a
    /// fragment, reject white space and control characters, and lose the mark of an empty query.
    static func fitsURL(_ target: [UInt8]) -> Bool {
        guard target.first == UInt8(ascii: "/"), target.allSatisfy(isURLByte) else { return false }
        return target.firstIndex(of: UInt8(ascii: "?")) != target.count - 1
    }

    /// Whether curl would interpret it as a pattern of several URLs.
    static func hasGlob(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.contains { "[]{}".utf8.contains($0) }
    }

    /// Whether curl might interpret a segment as `.` or `..` and remove it.
    static func hasDotSegment(_ target: [UInt8]) -> Bool {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        return path.split(separator: UInt8(ascii: "/")).contains { segment in
            segment.first == UInt8(ascii: ".") || segment.starts(with: "%2e".utf8)
                || segment.starts(with: "%2E".utf8)
        }
    }

    private static func isURLByte(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "-._~!$&'()*+,;=:@/?%[]{}|".utf8.contains(byte)
    }
}
