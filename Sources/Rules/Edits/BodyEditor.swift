internal import ProxydContentCoding
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Makes edits in a body, its content codings undone. What no edit changes goes on as it came,
/// byte for byte; what one changes is coded again where we can.
struct BodyEditor {
    /// The most bytes that a body is edited at.
    static let byteCountMax = 16 << 20

    private let type: MediaType?
    private let codings: String
    /// Nil where the codings cannot be undone.
    private var content: [UInt8]?
    private(set) var isChanged = false

    /// An editor of a body that came whole.
    init(_ body: [UInt8], fields: HeaderFields) {
        type = fields.value(.contentType).flatMap { MediaType($0) }
        codings = BodyEditor.codings(fields)
        let decoded = BodyEditor.decoded(body, fields)
        content = decoded.failure == nil ? decoded.octets : nil
    }

    /// A body with its content codings undone, as far as rules go.
    static func decoded(_ body: [UInt8], _ fields: HeaderFields) -> DecodedContent {
        let codings = codings(fields)
        guard !codings.isEmpty else { return DecodedContent(octets: body, failure: nil) }
        return ContentDecoder.decode(
            body.span, contentEncoding: codings,
            limits: DecodingLimits(decodedByteCountMax: byteCountMax))
    }

    /// What Content-Encoding says, in all its lines.
    static func codings(_ fields: HeaderFields) -> String {
        fields.values(named: "Content-Encoding").joined(separator: ",")
    }

    mutating func apply(_ edit: RuleEdit) -> EditResult {
        guard let before = content else { return .notDone(.unreadableBody) }
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
            return .notDone(.notAForm)
        }
        var pairs = FormDecoder().decode(content)
        PairEditor.apply(change, to: name, in: &pairs)
        self.content = pairs.octets
        return .changed
    }

    private mutating func changeJSON(
        _ change: RuleEdit.Change, _ path: JSONValuePath
    ) -> EditResult {
        guard let content else { return .notDone(.unreadableBody) }
        do throws(JSONPathError) {
            var editor = try JSONTextEditor(content)
            switch change {
            case .set(let value): try editor.set(value.parameter, at: path)
            case .remove: try editor.remove(at: path)
            case .add, .replace: return .unchanged
            }
            self.content = editor.octets
            return .changed
        } catch {
            if case .notJSON = error { return .notDone(.notJSON) }
            return .notDone(.noSuchPlace)
        }
    }

    private mutating func changeBytes(_ change: RuleEdit.Change) -> EditResult {
        guard let content else { return .notDone(.unreadableBody) }
        switch change {
        case .set(let value): self.content = Array(value.text.utf8)
        case .replace(let replacement, let countMax):
            switch replacement.replacing(
                in: content.span, timesMax: countMax, byteCountMax: BodyEditor.byteCountMax)
            {
            case .unchanged: return .unchanged
            case .tooLarge: return .notDone(.tooLarge)
            case .changed(let octets, _): self.content = octets
            }
        case .add, .remove: return .unchanged
        }
        return .changed
    }

    /// The same as where the body flows.
    private mutating func changeLines(_ edit: RuleEdit) -> EditResult {
        guard let content else { return .notDone(.unreadableBody) }
        var edits = LineEdits()
        edits.append(edit, of: "")
        var editor = LineEditor(edits)
        var output: [UInt8] = []
        output.reserveCapacity(content.count)
        editor.receive(content.span, into: &output)
        editor.finish(into: &output)
        guard output.count <= BodyEditor.byteCountMax else { return .notDone(.tooLarge) }
        if output == content, editor.applied.contains(where: { $0.outcome != "unchanged" }) {
            return .notDone(.tooLarge)
        }
        self.content = output
        return .changed
    }

    // MARK: Result

    /// A body that was changed, as it is sent.
    struct Changed {
        let body: [UInt8]
        /// Whether it goes without the codings it came with.
        let isRecoded: Bool

        /// The fields of its message: those that speak of the content it had are gone.
        func fields(_ fields: HeaderFields) -> HeaderFields {
            var fields = fields
            fields.removeDigests()
            if isRecoded { fields.removeAll(named: "Content-Encoding") }
            return fields
        }

        /// How its message says where it ends: chunks stay chunks.
        func length(_ length: BodyLength) -> BodyLength {
            length == .chunked ? .chunked : .exactly(UInt64(body.count))
        }
    }

    /// Nil where nothing was changed.
    func finish() -> Changed? {
        guard isChanged, let content else { return nil }
        return Changed(content, codedAs: codings)
    }
}

extension BodyEditor.Changed {
    /// A body with other content. gzip and deflate are written again; others, and several, are
    /// left off.
    /// - Parameter codings: What Content-Encoding says.
    init(_ content: [UInt8], codedAs codings: String) {
        guard !codings.isEmpty else {
            self.init(body: content, isRecoded: false)
            return
        }
        let listed = (try? Coding.list(codings)) ?? []
        let coding: ContentEncoder.Coding? =
            switch listed {
            case [.gzip]: .gzip
            case [.deflate]: .deflate
            default: nil
            }
        if let coding, let coded = try? ContentEncoder.encode(content.span, as: coding) {
            self.init(body: coded, isRecoded: false)
        } else {
            self.init(body: content, isRecoded: true)
        }
    }
}
