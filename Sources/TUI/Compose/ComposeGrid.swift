internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydPresentation

/// A draft as rows: what each row shows, and how it changes the draft.
struct ComposeGrid: Sendable {
    /// Bodies up to this size in bytes are examined while the user waits for a key.
    private static let eagerByteCountMax = 1 << 20

    /// Contents of parts up to this size in bytes can be typed here.
    private static let lineByteCountMax = 4 << 10

    var draft: RequestDraft { didSet { look() } }
    private(set) var text: ComposeText
    /// The parts of a multipart body, or nil for other bodies.
    private(set) var parts: EncodedParts?
    /// The error in a body that should be JSON, as far as it was examined.
    private(set) var jsonProblem: JSONSyntaxError?

    init(_ draft: RequestDraft) {
        self.draft = draft
        text = ComposeText([])
        look()
    }

    private mutating func look() {
        text = ComposeText(draft.text)
        let isSmall = draft.body.bytes.count <= ComposeGrid.eagerByteCountMax
        jsonProblem = isSmall ? draft.jsonProblem : nil
        parts = draft.parts
    }

    var sections: [ComposeSection] {
        [.query, .headers, draft.form != nil ? .form : parts != nil ? .parts : .body]
    }

    /// All rows; `new` is one that is being added.
    func rows(_ new: ComposeRow? = nil) -> [ComposeRow] {
        var rows: [ComposeRow] = [.method, .url]
        for section in sections {
            rows.append(.heading(section))
            var items = (0..<count(section)).map { ComposeRow.item(section, $0) }
            if case .new(section, let place) = new {
                items.insert(.new(section, place), at: min(place, items.count))
            }
            rows += items.isEmpty ? [.nothing(section)] : items
        }
        return rows
    }

    func count(_ section: ComposeSection) -> Int {
        switch section {
        case .query: draft.query.pairs.count
        case .headers: draft.fields.count
        case .form: draft.form?.pairs.count ?? 0
        case .parts: parts?.parts.count ?? 0
        case .body: text.lines?.count ?? 0
        }
    }

    /// The name of an item; empty for a line of text.
    func name(_ section: ComposeSection, _ index: Int) -> String {
        switch section {
        case .query: ComposeGrid.pair(draft.query, index)?.name ?? ""
        case .form: draft.form.flatMap { ComposeGrid.pair($0, index) }?.name ?? ""
        case .headers:
            draft.fields.lines.indices.contains(index)
                ? draft.fields.name(of: draft.fields.lines[index]) : ""
        case .parts: part(index)?.head.name ?? ""
        case .body: ""
        }
    }

    /// The value of an item, or nil for a parameter without `=`, and for a part that is not a
    /// single line of text.
    func value(_ section: ComposeSection, _ index: Int) -> String? {
        switch section {
        case .query: return ComposeGrid.pair(draft.query, index)?.value
        case .form: return draft.form.flatMap { ComposeGrid.pair($0, index) }?.value
        case .headers:
            guard draft.fields.lines.indices.contains(index) else { return "" }
            return draft.fields.value(of: draft.fields.lines[index])
        case .parts: return line(ofPart: index)
        case .body:
            guard let lines = text.lines, lines.indices.contains(index) else { return "" }
            return lines[index]
        }
    }

    func part(_ index: Int) -> EncodedParts.Part? {
        guard let parts, parts.parts.indices.contains(index) else { return nil }
        return parts.parts[index]
    }

    /// A description of a part: file name, type and size, as far as they are known.
    func description(ofPart index: Int) -> String {
        guard let part = part(index) else { return "" }
        let facts = [part.head.filename, part.head.contentType].compactMap { $0 }
        return (facts + [Quantity.bytes(Int64(part.content.count))]).joined(separator: " · ")
    }

    /// The content as text that can be typed, or nil if it is binary or longer than a line.
    private func line(ofPart index: Int) -> String? {
        guard let part = part(index), part.content.count <= ComposeGrid.lineByteCountMax,
            let text = parts?.text(at: index)
        else { return nil }
        return text.utf8.contains { $0 < 0x20 } ? nil : text
    }

    /// The bytes of a parameter as they are sent, or the description of a part.
    func raw(_ section: ComposeSection, _ index: Int) -> String? {
        if section == .parts { return description(ofPart: index) }
        let pairs = section == .query ? draft.query : section == .form ? draft.form : nil
        guard let pairs, let pair = ComposeGrid.pair(pairs, index) else { return nil }
        return ASCII.text(pairs.raw(pair))
    }

    private static func pair(_ pairs: EncodedPairs, _ index: Int) -> EncodedPair? {
        pairs.pairs.indices.contains(index) ? pairs.pairs[index] : nil
    }

    // MARK: Changes

    /// Changes the name or value of an item. If the text is the same, the bytes are kept.
    mutating func set(
        _ section: ComposeSection, _ index: Int, _ cell: ComposeCell, _ typed: String
    ) throws(RequestDraft.Problem) {
        let former = cell == .name ? name(section, index) : value(section, index)
        guard typed != former else { return }
        switch section {
        case .query: draft.editQuery { ComposeGrid.set(&$0, index, cell, typed) }
        case .form: draft.editForm { ComposeGrid.set(&$0, index, cell, typed) }
        case .headers:
            let name = cell == .name ? typed : self.name(section, index)
            let value = cell == .value ? typed : self.value(section, index) ?? ""
            try RequestDraft.check(fieldName: name, value: value)
            if cell == .name {
                draft.fields.rename(at: index, to: typed)
            } else {
                draft.fields.setValue(typed, at: index)
            }
        case .parts:
            let isDone = editParts {
                cell == .name ? $0.rename(at: index, to: typed) : $0.setText(typed, at: index)
            }
            guard isDone else { throw cell == .name ? .unnamedPart : .boundaryInPart }
        case .body: try draft.setText(text.replacing(index, by: typed))
        }
    }

    mutating func setContent(_ content: [UInt8], ofPart index: Int) throws(RequestDraft.Problem) {
        guard editParts({ $0.setContent(content, at: index) }) else { throw .boundaryInPart }
    }

    private mutating func editParts(_ edit: (inout EncodedParts) -> Bool) -> Bool {
        guard var parts, edit(&parts) else { return false }
        draft.setParts(parts)
        return true
    }

    private static func set(
        _ pairs: inout EncodedPairs, _ index: Int, _ cell: ComposeCell, _ typed: String
    ) {
        if cell == .name {
            pairs.rename(at: index, to: typed)
        } else {
            pairs.setValue(typed, at: index)
        }
    }

    mutating func insert(
        _ section: ComposeSection, _ index: Int, name: String, value: String
    ) throws(RequestDraft.Problem) {
        switch section {
        case .query: draft.editQuery { $0.insert(name: name, value: value, at: index) }
        case .form: draft.editForm { $0.insert(name: name, value: value, at: index) }
        case .headers:
            try RequestDraft.check(fieldName: name, value: value)
            draft.fields.insert(name: name, value: value, at: index)
        case .parts:
            let isDone = editParts { $0.insert(name: name, value: value, at: index) }
            guard isDone else { throw .boundaryInPart }
        case .body: try draft.setText(text.inserting(value, at: index))
        }
    }

    mutating func remove(_ section: ComposeSection, _ index: Int) {
        switch section {
        case .query: draft.editQuery { $0.remove(at: index) }
        case .form: draft.editForm { $0.remove(at: index) }
        case .headers: draft.fields.remove(at: index)
        case .parts:
            _ = editParts {
                $0.remove(at: index)
                return true
            }
        case .body: try? draft.setText(text.removing(index))
        }
    }

    /// Moves an item by one position; returns false if there is no such position.
    mutating func move(_ section: ComposeSection, _ index: Int, by step: Int) -> Bool {
        let place = index + step
        guard (0..<count(section)).contains(place) else { return false }
        switch section {
        case .query: draft.editQuery { $0.swapNeighbours(at: min(index, place)) }
        case .form: draft.editForm { $0.swapNeighbours(at: min(index, place)) }
        case .headers: draft.fields.move(from: index, to: place)
        case .parts:
            _ = editParts {
                $0.swapNeighbours(at: min(index, place))
                return true
            }
        case .body: try? draft.setText(text.moving(index, to: place))
        }
        return true
    }
}

extension RequestDraft.Problem {
    fileprivate static let unnamedPart = RequestDraft.Problem(
        description: "the part's head has no quoted name: b edits the whole body")
    fileprivate static let boundaryInPart = RequestDraft.Problem(
        description: "the content contains the multipart boundary")
}

extension EncodedPairs {
    /// Swaps a pair with the next one, keeping their bytes.
    fileprivate mutating func swapNeighbours(at index: Int) {
        guard pairs.indices.contains(index), pairs.indices.contains(index + 1) else { return }
        let (first, second) = (pairs[index].ranges.whole, pairs[index + 1].ranges.whole)
        let swapped =
            bytes[..<first.lowerBound] + bytes[second] + bytes[first.upperBound..<second.lowerBound]
            + bytes[first] + bytes[second.upperBound...]
        self = QueryDecoder().decode(Array(swapped))
    }
}

enum ComposeSection: Sendable, Hashable, CaseIterable {
    case query, headers
    /// The body as pairs, if it is a form.
    case form
    /// The body as parts, if it is multipart.
    case parts
    /// The body as lines of text, if it is neither.
    case body

    var title: String {
        switch self {
        case .query: "Query"
        case .headers: "Headers"
        case .form: "Form"
        case .parts: "Parts"
        case .body: "Body"
        }
    }
}

enum ComposeRow: Sendable, Hashable {
    case method
    case url
    case heading(ComposeSection)
    /// A parameter, a field, or a line of the body, by its index.
    case item(ComposeSection, Int)
    /// An item that is being added and will have that index.
    case new(ComposeSection, Int)
    /// A placeholder for a section without rows.
    case nothing(ComposeSection)

    /// The section the row belongs to, or nil for the start line.
    var section: ComposeSection? {
        switch self {
        case .method, .url: nil
        case .heading(let section), .item(let section, _), .new(let section, _),
            .nothing(let section):
            section
        }
    }
}

enum ComposeCell: Sendable, Hashable { case name, value }

/// A body's lines, to edit one by one; none if it is not text, or too long.
struct ComposeText: Sendable {
    /// The maximum size in bytes of a body that needs no editor.
    private static let byteCountMax = 256 << 10

    /// The lines without line endings, or nil if the body cannot be edited line by line.
    let lines: [String]?
    private let ends: [[UInt8]]

    init(_ bytes: [UInt8]) {
        guard bytes.count <= ComposeText.byteCountMax,
            String(validating: bytes, as: UTF8.self) != nil
        else {
            lines = nil
            ends = []
            return
        }
        var lines: [String] = []
        var ends: [[UInt8]] = []
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let isCRLF = line.last == 0x0D
            lines.append(String(decoding: isCRLF ? line.dropLast() : line, as: UTF8.self))
            ends.append(isCRLF ? [0x0D, 0x0A] : [0x0A])
        }
        // The last line has no line ending: a carriage return there is part of the text.
        if ends.last == [0x0D, 0x0A], let last = lines.popLast() { lines.append(last + "\r") }
        if bytes.isEmpty { lines = [] }
        self.lines = lines
        self.ends = ends
    }

    func replacing(_ index: Int, by text: String) -> [UInt8] {
        changing(index) { lines, _ in lines[index] = text }
    }

    /// Returns the bytes with a line inserted. It gets the same line ending as the others.
    func inserting(_ text: String, at index: Int) -> [UInt8] {
        var (changed, changedEnds) = (lines ?? [], ends)
        let place = min(max(0, index), changed.count)
        let end: [UInt8] = ends.first == [0x0D, 0x0A] && ends.count > 1 ? [0x0D, 0x0A] : [0x0A]
        if place == changed.count, let last = changedEnds.indices.last { changedEnds[last] = end }
        changed.insert(text, at: place)
        changedEnds.insert(end, at: min(place, changedEnds.count))
        return joined(changed, changedEnds)
    }

    func removing(_ index: Int) -> [UInt8] {
        changing(index) { lines, ends in
            lines.remove(at: index)
            ends.remove(at: min(index, ends.count - 1))
        }
    }

    func moving(_ index: Int, to position: Int) -> [UInt8] {
        changing(index) { lines, _ in
            if lines.indices.contains(position) {
                lines.insert(lines.remove(at: index), at: position)
            }
        }
    }

    /// Returns the bytes after a change of a line, if it exists.
    private func changing(
        _ index: Int, _ change: (inout [String], inout [[UInt8]]) -> Void
    ) -> [UInt8] {
        var (lines, ends) = (lines ?? [], ends)
        if lines.indices.contains(index) { change(&lines, &ends) }
        return joined(lines, ends)
    }

    private func joined(_ lines: [String], _ ends: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, line) in lines.enumerated() {
            bytes += line.utf8
            if index < lines.count - 1 { bytes += ends[index] }
        }
        return bytes
    }
}

/// Edits of single lines; every other line keeps its bytes.
extension HeaderFields {
    /// Replaces the value of a line. Its name and the white space after the colon stay.
    mutating func setValue(_ value: String, at index: Int) {
        replace(at: index, name: nil, value: Array(value.utf8))
    }

    /// Replaces the name of a line. Its value stays.
    mutating func rename(at index: Int, to name: String) {
        replace(at: index, name: Array(name.utf8), value: nil)
    }

    mutating func insert(name: String, value: String, at index: Int) {
        append(name: name, value: value)
        move(from: lines.count - 1, to: index)
    }

    mutating func remove(at index: Int) {
        guard lines.indices.contains(index) else { return }
        var lines = lines
        lines.remove(at: index)
        self = HeaderFields(bytes: bytes, lines: lines)
    }

    mutating func move(from index: Int, to position: Int) {
        guard lines.indices.contains(index), lines.indices.contains(position) else { return }
        var lines = lines
        lines.insert(lines.remove(at: index), at: position)
        self = HeaderFields(bytes: bytes, lines: lines)
    }

    /// Replaces the parts of a line that are not nil.
    private mutating func replace(at index: Int, name: [UInt8]?, value: [UInt8]?) {
        guard lines.indices.contains(index) else { return }
        let old = lines[index]
        let name = name ?? Array(bytes[old.nameRange])
        let separator = bytes[Int(old.nameEnd)..<Int(old.valueStart)]
        let value = value ?? Array(bytes[old.valueRange])
        let offset = { (count: Int) in UInt32(truncatingIfNeeded: count) }
        let start = bytes.count
        let nameEnd = start + name.count
        let valueStart = nameEnd + separator.count
        let valueEnd = valueStart + value.count
        var bytes = bytes
        bytes += name + separator + value + [0x0D, 0x0A]
        var lines = lines
        lines[index] = Line(
            start: offset(start), nameEnd: offset(nameEnd), valueStart: offset(valueStart),
            valueEnd: offset(valueEnd), end: offset(bytes.count), name: FieldName(name.span))
        self = HeaderFields(bytes: bytes, lines: lines)
    }
}
