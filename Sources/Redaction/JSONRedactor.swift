internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Finds the values of a JSON text that are credentials, in one pass over its tokens. Every other
/// byte stays in place, including white space.
struct JSONRedactor {
    private let names: SecretNames
    private let scanner: SecretScanner
    private let finder: SecretFinder

    private var levels: [JSONLevel] = []
    /// Of several with one range, the one with the lowest rank counts.
    private var changes: [(range: Range<Int>, text: [UInt8], rank: Int)] = []

    private init(_ redaction: Redaction) {
        names = redaction.names
        scanner = redaction.scanner
        finder = SecretFinder(redaction.names, syntax: .free)
    }

    /// The text without credentials: `bytes` themselves if it has none, nil if it is not JSON.
    static func redacted(_ bytes: [UInt8], _ redaction: Redaction) -> [UInt8]? {
        guard (try? JSONReader().check(bytes.span)) != nil else { return nil }
        var redactor = JSONRedactor(redaction)
        redactor.read(bytes.span)
        return redactor.changes.isEmpty ? bytes : redactor.applied(to: bytes)
    }

    private func applied(to bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var copied = 0
        let sorted = changes.sorted {
            ($0.range.lowerBound, $1.range.upperBound, $0.rank)
                < ($1.range.lowerBound, $0.range.upperBound, $1.rank)
        }
        for change in sorted {
            // A value that is hidden as a whole precedes those within it.
            guard change.range.lowerBound >= copied else { continue }
            output += bytes[copied..<change.range.lowerBound]
            output += change.text
            copied = change.range.upperBound
        }
        return output + bytes[copied...]
    }

    // MARK: Tokens

    private mutating func read(_ bytes: Span<UInt8>) {
        var tokenizer = JSONTokenizer()
        var index = bytes.count >= 3 && bytes[0] == 0xEF ? 3 : 0
        while let token = tokenizer.next(in: bytes, from: &index) {
            let range = token.range
            switch token.kind {
            case .opener:
                let isObject = bytes[range.lowerBound] == UInt8(ascii: "{")
                levels.append(JSONLevel(isObject: isObject, start: range.lowerBound))
            case .closer:
                guard let level = levels.popLast() else { return }
                for value in level.secrets { hide(value) }
                finish(level.asValue(end: range.upperBound), bytes)
            case .comma: levels.withLast { $0.expectsName = $0.isObject }
            case .colon: break
            case .string:
                let content = range.lowerBound + 1..<range.upperBound - 1
                if levels.last?.expectsName == true {
                    name(bytes, content)
                } else {
                    string(bytes, content)
                }
            case .scalar:
                let isNumber = bytes[range.lowerBound] < UInt8(ascii: "A")
                var value = JSONLevel.Value(isNumber ? .number : .literal, range)
                // A shorter number is a count.
                value.isSecret = range.count > 2
                value.isEmpty = false
                finish(value, bytes)
            }
        }
    }

    private mutating func name(_ bytes: Span<UInt8>, _ content: Range<Int>) {
        let text = unescaped(bytes, content)
        let hint = hint(bytes, content, text)
        let role = names.knowsMore ? JSONLevel.Role(bytes.extracting(content)) : .none
        levels.withLast {
            $0.expectsName = false
            $0.hint = hint
            $0.role = role
        }
        // A name is untrusted text, like any other.
        search(bytes, content, text)
    }

    private mutating func string(_ bytes: Span<UInt8>, _ content: Range<Int>) {
        let text = unescaped(bytes, content)
        var value = JSONLevel.Value(.text, content.lowerBound - 1..<content.upperBound + 1)
        let hint = levels.last?.hint ?? .nothing
        if hint != .nothing {
            value.isSecret =
                if let text {
                    finder.isSecret(text.span, hint)
                } else {
                    finder.isSecret(bytes.extracting(content), hint)
                }
        }
        if names.knowsMore, levels.last?.mayNameOthers == true {
            value.nameHint = self.hint(bytes, content, text)
        }
        note(bytes.extracting(content), &value)
        if !value.isSecret { search(bytes, content, text) }
        finish(value, bytes)
    }

    /// Records what a text may mean for other values.
    private func note(_ text: Span<UInt8>, _ value: inout JSONLevel.Value) {
        guard let level = levels.last else { return }
        if level.role == .code { value.isLong = TextBytes.isOpaque(text, atLeast: 12) }
        if !level.isObject, text.count <= 64 {
            value.isWord = text.indices.allSatisfy {
                text[$0] &- 0x61 < 26 || text[$0] == 0x5F || text[$0] == 0x2D
            }
            value.isOption =
                TextBytes.begins(text, 0, "--") && names.knowsMore && names.hint(text).isCertain
        } else if level.role == .type {
            let types: [StaticString] = [
                "string", "object", "array", "boolean", "number", "integer",
            ]
            value.isType =
                types.contains { ASCII.equals(text, $0) } || TextBytes.begins(text, 0, "#/")
        }
    }

    private func hint(_ bytes: Span<UInt8>, _ content: Range<Int>, _ text: [UInt8]?) -> SecretHint {
        if let text { return names.hint(text.span) }
        return names.hint(bytes.extracting(content))
    }

    /// The text of a string with escapes; nil if its bytes are its text.
    private func unescaped(_ bytes: Span<UInt8>, _ content: Range<Int>) -> [UInt8]? {
        for index in content where bytes[index] == UInt8(ascii: "\\") {
            return JSONStringToken(range: content, hasEscapes: true).unescaped(in: bytes)
        }
        return nil
    }

    // MARK: Changes

    /// Moves a finished value into the container around it.
    private mutating func finish(_ value: JSONLevel.Value, _ bytes: Span<UInt8>) {
        guard let hint = levels.last?.hint else { return }
        if value.isCredential(hint) { hide(value) }
        levels.withLast { $0.take(value) }
    }

    private mutating func hide(_ value: JSONLevel.Value) {
        changes.append((value.range, JSONRedactor.hidden, 0))
    }

    private static let hidden = Array("\"\(Redaction.placeholder)\"".utf8)

    /// Hides the credentials within a string that is not one as a whole.
    private mutating func search(_ bytes: Span<UInt8>, _ content: Range<Int>, _ text: [UInt8]?) {
        guard content.count > 3 else { return }
        if let text {
            guard let shown = scanner.redacted(text),
                let written = try? JSONWriter().write(
                    JSONValue.string(String(decoding: shown, as: UTF8.self)))
            else { return }
            changes.append((content.lowerBound - 1..<content.upperBound + 1, written, 1))
        } else {
            let placeholder = Array(Redaction.placeholder.utf8)
            for found in scanner.secrets(in: bytes.extracting(content)) {
                let range =
                    content.lowerBound + found.lowerBound..<content.lowerBound + found.upperBound
                changes.append((range, placeholder, 1))
            }
        }
    }
}

/// An open container of a JSON text, and what is known of the values in it.
private struct JSONLevel {
    enum Kind {
        case text, number, literal, array, object
    }

    /// A value that has ended.
    struct Value {
        let kind: Kind
        let range: Range<Int>
        /// Whether its text is what the member's name announces.
        var isSecret = false
        /// What it says about other values, if it is the name of one.
        var nameHint = SecretHint.nothing
        /// Whether it contains text, at any depth.
        var hasText: Bool
        var isEmpty: Bool
        /// Whether it describes values, as JSON Schema does, and has none.
        var isSchema = false
        /// Whether it is a word such as a name, a grant or a format.
        var isWord = false
        /// Whether it is a text that looks machine-made.
        var isLong = false
        /// Whether it is an option of a command whose next argument is a credential.
        var isOption = false
        /// Whether it is a type of JSON Schema.
        var isType = false

        init(_ kind: Kind, _ range: Range<Int>) {
            self.kind = kind
            self.range = range
            hasText = kind == .text
            isEmpty = range.count == 2
        }

        /// Whether the name of its member makes all of it a credential.
        func isCredential(_ hint: SecretHint) -> Bool {
            switch (kind, hint) {
            case (_, .nothing), (.literal, _), (.number, .unlessNumber), (.number, .ifOpaque),
                (.array, .ifOpaque), (.object, .ifOpaque), (.object, .ifSimple):
                false
            case (.text, _): isSecret && !isEmpty
            case (.number, .always): true
            case (.number, .ifSimple): isSecret
            case (.array, .always), (.array, .ifSimple): !isEmpty
            case (.object, .always): !isEmpty && !isSchema
            case (.array, .unlessNumber), (.object, .unlessNumber): hasText
            }
        }
    }

    /// What a member means for the others of its object.
    enum Role {
        case none
        /// It contains the name of another one, as in `{"name": "password", "value": "x"}`.
        case name
        /// It may be a credential because of what another one contains.
        case value
        /// An OAuth code, if there are the members that accompany it (RFC 6749 §4.1.3).
        case code
        case companion
        /// It accompanies a code only if the code is long.
        case state
        /// The type of a JSON Web Key (RFC 7517), and its private parts (RFC 7518 §6).
        case keyType, keyPart
        /// The type of a value that JSON Schema describes.
        case type

        private static let all: [(names: [StaticString], role: Role)] = [
            (
                [
                    "name", "key", "field", "id", "property", "param", "parameter", "header",
                    "attribute", "variable", "label", "parameterkey", "optionname",
                ], .name
            ),
            (
                [
                    "value", "content", "val", "text", "data", "string", "default",
                    "parametervalue",
                ], .value
            ),
            (["code"], .code), (["state"], .state), (["kty"], .keyType),
            (["d", "p", "q", "dp", "dq", "qi", "k"], .keyPart), (["type", "$ref"], .type),
            (
                [
                    "grant_type", "granttype", "redirect_uri", "redirecturi", "code_verifier",
                    "codeverifier", "client_id", "clientid", "client_secret", "clientsecret",
                ], .companion
            ),
        ]

        init(_ name: Span<UInt8>) {
            self = .none
            guard name.count <= 14 else { return }
            for (names, role) in Role.all {
                if names.contains(where: { ASCII.equalsIgnoringCase(name, $0) }) { self = role }
            }
        }
    }

    let isObject: Bool
    let start: Int
    var expectsName: Bool
    /// What the name of the current member says about its value, and what the member is.
    var hint = SecretHint.nothing
    var role = Role.none

    private var count = 0
    private var hasText = false
    private var named = SecretHint.nothing
    private var hasCompanion = false
    private var hasState = false
    private var hasKeyType = false
    private var isSchema = false
    private var isAfterOption = false
    /// The values that may turn out to be credentials when the container ends.
    private var values: [Value] = []
    private var codes: [Value] = []
    private var keys: [Value] = []
    private var arguments: [Value] = []

    init(isObject: Bool, start: Int) {
        self.isObject = isObject
        self.start = start
        expectsName = isObject
    }

    /// Whether the current value may be the name of another one.
    var mayNameOthers: Bool { isObject ? role == .name : count == 0 }

    mutating func take(_ value: Value) {
        defer { count += 1 }
        hasText = hasText || value.hasText
        guard isObject else {
            // `["password", "x"]` is a name with its value.
            if count == 0 { named = value.nameHint }
            if count < 2 { values.append(value) }
            if isAfterOption, value.kind == .text { arguments.append(value) }
            isAfterOption = value.isOption
            return
        }
        switch role {
        case .none: break
        case .name: if value.nameHint != .nothing { named = value.nameHint }
        case .value: values.append(value)
        case .code: codes.append(value)
        case .companion: hasCompanion = true
        case .state: hasState = hasState || value.kind == .text
        case .keyType: hasKeyType = hasKeyType || value.kind == .text
        case .keyPart: keys.append(value)
        case .type: isSchema = isSchema || value.isType
        }
    }

    /// The values that other members, or the first of two elements, make credentials.
    var secrets: [Value] {
        guard isObject else {
            let isPair = count == 2 && named.isCertain && values[1].kind == .text
            let isSecret = isPair && !values[1].isEmpty && !values[1].isWord
            return isSecret ? arguments + [values[1]] : arguments
        }
        let texts = codes.filter {
            $0.kind == .text && !$0.isEmpty && (hasCompanion || hasState && $0.isLong)
        }
        return texts + (hasKeyType ? keys.filter { $0.kind == .text } : [])
            + values.filter { value in
                var value = value
                value.isSecret = true
                return value.isCredential(named)
            }
    }

    /// The container as a value of the one around it.
    func asValue(end: Int) -> Value {
        var value = Value(isObject ? .object : .array, start..<end)
        value.hasText = hasText
        value.isEmpty = count == 0
        value.isSchema = isSchema
        return value
    }
}

extension Array {
    fileprivate mutating func withLast(_ change: (inout Element) -> Void) {
        if !isEmpty { change(&self[count - 1]) }
    }
}
