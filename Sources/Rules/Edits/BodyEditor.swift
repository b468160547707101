internal import ProxydCharsets
internal import ProxydContentCoding
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Edits a body as text in its charset, with its content codings removed. What no edit changes is
/// forwarded byte for byte as it came; changed content is encoded again if the coding is supported.
struct BodyEditor {
    static let byteCountMax = 16 << 20

    private let type: MediaType?
    private let codings: String
    /// The codings that were removed from `content`.
    private let removed: [Coding]
    /// Nil if the content codings could not be decoded.
    private var content: [UInt8]?
    private(set) var isChanged = false

    init(_ body: [UInt8], fields: HeaderFields) {
        type = fields.value(.contentType).flatMap { MediaType($0) }
        codings = BodyEditor.codings(fields)
        let decoded = BodyEditor.decoded(body, fields)
        removed = decoded.removed
        let isMissingChunks =
            Coding.listed(codings).known.contains(.awsChunked) && !removed.contains(.awsChunked)
        content = decoded.failure == nil && !isMissingChunks ? decoded.bytes : nil
    }

    /// A body with its content codings removed, up to the size that rules handle.
    static func decoded(_ body: [UInt8], _ fields: HeaderFields) -> DecodedContent {
        let codings = codings(fields)
        guard !codings.isEmpty else { return DecodedContent(bytes: body) }
        return ContentDecoder.decode(
            body.span, contentEncoding: codings,
            limits: DecodingLimits(decodedByteCountMax: byteCountMax))
    }

    /// The combined value of all Content-Encoding fields.
    static func codings(_ fields: HeaderFields) -> String {
        fields.values(named: "Content-Encoding").joined(separator: ",")
    }

    mutating func apply(_ edit: RuleEdit) -> EditResult {
        guard let before = content else { return .notDone(.unreadableBody) }
        // Only the client can sign new chunks.
        guard !removed.contains(.awsChunked) else { return .notDone(.signedChunks) }
        let result: EditResult
        switch edit.target {
        case .form(let name): result = changeForm(edit.change, name)
        case .json(let path): result = changeJSON(edit.change, path)
        default: result = edit.isByLine ? changeLines(edit) : changeBytes(edit.change)
        }
        guard result == .changed, content != before else {
            return result == .changed ? .unchanged : result
        }
        isChanged = true
        return .changed
    }

    private mutating func changeForm(_ change: RuleEdit.Change, _ name: String) -> EditResult {
        guard let content, type?.essence == "application/x-www-form-urlencoded" else {
            return changePart(change, name)
        }
        var pairs = FormDecoder.form(content, declaredCharset: type?.charset)
        PairEditor.apply(change, to: name, in: &pairs)
        self.content = pairs.bytes
        return .changed
    }

    private mutating func changePart(_ change: RuleEdit.Change, _ name: String) -> EditResult {
        guard let content,
            case .multipartForm(let boundary) = BodyKind.detect(
                contentType: type, bytes: content.span),
            var parts = EncodedParts(content, boundary: boundary, declaredCharset: type?.charset)
        else { return .notDone(.notAForm) }
        if let problem = PairEditor.apply(change, to: name, in: &parts) { return .notDone(problem) }
        guard parts.bytes.count <= BodyEditor.byteCountMax else { return .notDone(.tooLarge) }
        self.content = parts.bytes
        return .changed
    }

    private mutating func changeJSON(
        _ change: RuleEdit.Change, _ path: JSONValuePath
    ) -> EditResult {
        let (known, text) = read()
        let edited: [UInt8]
        do throws(JSONPathError) {
            var editor = try JSONTextEditor(text)
            switch change {
            case .set(let value): try editor.set(value.parameter, at: path)
            case .remove: try editor.remove(at: path)
            case .add, .replace: return .unchanged
            }
            edited = editor.bytes
        } catch {
            if case .notJSON = error { return .notDone(.notJSON) }
            return .notDone(.noSuchPlace)
        }
        return replace(text, of: known, with: edited)
    }

    private mutating func changeBytes(_ change: RuleEdit.Change) -> EditResult {
        switch change {
        case .set(let value): return setText(value.text)
        case .replace(let replacement, let countMax):
            let (known, text) = read()
            switch replacement.replacing(
                in: text.span, timesMax: countMax, byteCountMax: BodyEditor.byteCountMax)
            {
            case .unchanged: return .unchanged
            case .tooLarge: return .notDone(.tooLarge)
            case .changed(let edited, _, let places):
                let changes = places.map { TextChange($0.range, to: Array(edited[$0.newRange])) }
                return replace(text, of: known, with: edited, changes)
            }
        case .add, .remove: return .unchanged
        }
    }

    /// Edits line by line, exactly like a body that streams.
    private mutating func changeLines(_ edit: RuleEdit) -> EditResult {
        let (known, text) = read()
        var edits = LineEdits()
        edits.append(edit, of: "")
        var editor = LineEditor(edits)
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        editor.receive(text.span, into: &output)
        editor.finish(into: &output)
        guard output.count <= BodyEditor.byteCountMax else { return .notDone(.tooLarge) }
        if output == text, editor.applied.contains(where: { $0.outcome != "unchanged" }) {
            return .notDone(.tooLarge)
        }
        return replace(text, of: known, with: output)
    }

    // MARK: Text

    /// The kind of text; and the content as UTF-8, or its bytes if it is not text.
    private func read() -> (known: BodyText, text: [UInt8]) {
        let bytes = content ?? []
        let known = BodyText(bytes.span, contentType: type)
        return (known, known.utf8(of: bytes))
    }

    /// Replaces the content by its edited text, in its charset.
    /// - Parameter changes: What was edited, if that is known.
    private mutating func replace(
        _ text: [UInt8], of known: BodyText, with edited: [UInt8], _ changes: [TextChange]? = nil
    ) -> EditResult {
        guard edited != text else { return .unchanged }
        do throws(UnencodableCharacter) {
            content = try known.bytes(of: edited, inPlaceOf: content ?? [], changes: changes)
            return .changed
        } catch {
            return .notDone(.lacking(error))
        }
    }

    /// Replaces the content by another text, in the declared charset.
    private mutating func setText(_ text: String) -> EditResult {
        do throws(UnencodableCharacter) {
            content = try BodyText.bytes(of: text, contentType: type)
            return .changed
        } catch {
            return .notDone(.lacking(error))
        }
    }

    // MARK: Result

    /// A changed body, as it is sent.
    struct Changed {
        let body: [UInt8]
        /// The new value of Content-Encoding; nil for none.
        let codings: String?

        /// The fields of its message, without those that describe the former content.
        func fields(_ fields: HeaderFields) -> HeaderFields {
            var fields = fields
            fields.removeDigests()
            guard BodyEditor.codings(fields) != codings ?? "" else { return fields }
            fields.removeAll(named: "Content-Encoding")
            if let codings { fields.append(name: "Content-Encoding", value: codings) }
            return fields
        }

        /// The framing of its message: a chunked body stays chunked.
        func length(_ length: BodyLength) -> BodyLength {
            length == .chunked ? .chunked : .exactly(UInt64(body.count))
        }
    }

    /// Nil if nothing was changed.
    func finish() -> Changed? {
        guard isChanged, let content else { return nil }
        return Changed(content, codings: codings, removed: removed)
    }
}

extension BodyEditor.Changed {
    /// Creates a body with new content. gzip and deflate are applied again; other codings, and
    /// several of them, are dropped. What the former body did not have in spite of its
    /// Content-Encoding, the new one does not have either.
    /// - Parameters:
    ///   - codings: The combined value of Content-Encoding.
    ///   - removed: The codings that the content is without.
    init(_ content: [UInt8], codings: String, removed: [Coding]) {
        let coding: ContentEncoder.Coding? =
            switch removed {
            case [.gzip]: .gzip
            case [.deflate]: .deflate
            default: nil
            }
        if let coding, let coded = try? ContentEncoder.encode(content.span, as: coding) {
            self.init(body: coded, codings: codings)
        } else {
            let left = removed.isEmpty ? codings : Coding.value(codings, without: removed)
            self.init(body: content, codings: left)
        }
    }
}

/// Edits the pairs of a query or a form, or the fields of a multipart form. Names are compared
/// decoded; the bytes of others do not change.
enum PairEditor {
    static func apply(_ change: RuleEdit.Change, to name: String, in pairs: inout EncodedPairs) {
        switch change {
        case .set(let value):
            // A pair that has this value already keeps its escapes.
            let first = pairs.pairs.first { isNamed(name, $0) }
            if first == nil || first?.value != value.text {
                pairs.setFirst(named: name, to: value.text)
            }
        case .add(let value): pairs.insert(name: name, value: value.text, at: pairs.pairs.count)
        case .remove(let match):
            pairs.removeAll { pair in
                guard isNamed(name, pair) else { return false }
                let value = pair.value ?? ""
                return match?.matches(value.utf8.span) ?? true
            }
        case .replace: break
        }
    }

    /// Returns why the form cannot be changed; nil if it can.
    static func apply(
        _ change: RuleEdit.Change, to name: String, in parts: inout EncodedParts
    ) -> EditResult.NotDone? {
        do throws(EncodedParts.FieldProblem) {
            switch change {
            case .set(let value): try parts.setField(named: name, to: value.text)
            case .add(let value): try parts.addField(named: name, value: value.text)
            case .remove(let match):
                parts.removeAll(named: name) { match?.matches($0.utf8.span) ?? true }
            case .replace: break
            }
            return nil
        } catch {
            switch error {
            case .isFile: return .file
            case .boundaryInValue: return .boundary
            }
        }
    }

    private static func isNamed(_ name: String, _ pair: EncodedPair) -> Bool {
        pair.name.utf8.elementsEqual(name.utf8)
    }
}
