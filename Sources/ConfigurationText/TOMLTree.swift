/// A tree under construction: tables are found again by their names and grow.
///
/// ```
///            [a.b]        [a]
/// (nothing) ──────▶ open ────▶ closed        a: on a header's path, then its end
///     │              │ a.x =
///     └────a.x =─────┴───────▶ dotted        a: on a key's path
/// ```
///
/// A header may pass through tables of these three kinds and end at an open one; a key passes
/// through open and dotted ones. What is written inline is complete.
struct TOMLTree {
    /// A key, or a part of a dotted key.
    struct KeyPart {
        let name: String
        let position: TextPosition
    }

    typealias Index = Int

    private enum Kind {
        case open, closed, dotted, inlineTable
        /// `[[a]]`: the tables are its elements.
        case tables
        case value
    }

    private struct Member {
        let key: KeyPart
        let value: Index
    }

    private struct Entry {
        var kind: Kind
        let position: TextPosition
        let depth: Int
        var members: [Member] = []
        var indexOfName: [String: Int] = [:]
        /// The elements of `[[…]]` and of arrays.
        var elements: [Index] = []
        /// The value if it is neither a table nor an array.
        var content: TOMLNode.Content?
    }

    static let root: Index = 0
    private var entries = [Entry(kind: .closed, position: .start, depth: 0)]

    /// The table defined by `[a.b]`.
    mutating func define(_ path: [KeyPart]) throws(TOMLSyntaxError) -> Index {
        guard let last = path.last else { return Self.root }
        let parent = try pass(path.dropLast())
        guard let found = member(last, of: parent) else {
            return try add(last, to: parent, .closed, at: last.position)
        }
        switch entries[found].kind {
        case .open: entries[found].kind = .closed
        case .closed, .dotted, .tables:
            throw TOMLSyntaxError("\(last.name) is already defined", at: last.position.line)
        case .inlineTable, .value: throw noTable(last)
        }
        return found
    }

    /// A new table at the end of the array named by `[[a.b]]`.
    mutating func appendTable(_ path: [KeyPart]) throws(TOMLSyntaxError) -> Index {
        guard let last = path.last else { return Self.root }
        let parent = try pass(path.dropLast())
        guard let found = member(last, of: parent) else {
            let array = try add(last, to: parent, .tables, at: last.position)
            return try append(to: array, .closed, at: last.position)
        }
        switch entries[found].kind {
        case .tables: return try append(to: found, .closed, at: last.position)
        case .open, .closed, .dotted:
            throw TOMLSyntaxError("\(last.name) is not an array of tables", at: last.position.line)
        case .inlineTable, .value: throw noTable(last)
        }
    }

    /// The index for a key's value: `a.b.c = …`.
    mutating func set(
        _ path: [KeyPart], in table: Index, isTable: Bool, at position: TextPosition
    ) throws(TOMLSyntaxError) -> Index {
        var owner = table
        for part in path.dropLast() { owner = try passDotted(part, of: owner) }
        guard let key = path.last else { return table }
        guard member(key, of: owner) == nil else {
            throw TOMLSyntaxError("\(key.name) is given twice", at: key.position.line)
        }
        return try add(key, to: owner, isTable ? .inlineTable : .value, at: position)
    }

    /// The index for an array's next element.
    mutating func append(
        to array: Index, isTable: Bool, at position: TextPosition
    ) throws(TOMLSyntaxError) -> Index {
        try append(to: array, isTable ? .inlineTable : .value, at: position)
    }

    /// Sets a value that is neither a table nor an array.
    mutating func fill(_ index: Index, with content: TOMLNode.Content) {
        entries[index].content = content
    }

    /// The completed top-level table.
    var finished: TOMLTable { finished(entries[Self.root]) }

    private func node(_ index: Index) -> TOMLNode {
        let entry = entries[index]
        let content: TOMLNode.Content =
            switch entry.kind {
            case .open, .closed, .dotted, .inlineTable: .table(finished(entry))
            case .tables: .array(entry.elements.map(node))
            case .value: entry.content ?? .array(entry.elements.map(node))
            }
        return TOMLNode(content, at: entry.position)
    }

    private func finished(_ entry: Entry) -> TOMLTable {
        let members = entry.members.map {
            TOMLTable.Member(name: $0.key.name, position: $0.key.position, node: node($0.value))
        }
        return TOMLTable(members, indexOfName: entry.indexOfName)
    }

    /// Follows a header's path up to its last part; an array of tables means its last table.
    private mutating func pass(_ path: ArraySlice<KeyPart>) throws(TOMLSyntaxError) -> Index {
        var table = Self.root
        for part in path {
            guard let found = member(part, of: table) else {
                table = try add(part, to: table, .open, at: part.position)
                continue
            }
            switch entries[found].kind {
            case .open, .closed, .dotted: table = found
            case .tables: table = entries[found].elements.last ?? found
            case .inlineTable, .value: throw noTable(part)
            }
        }
        return table
    }

    private mutating func passDotted(
        _ part: KeyPart, of table: Index
    ) throws(TOMLSyntaxError) -> Index {
        guard let found = member(part, of: table) else {
            return try add(part, to: table, .dotted, at: part.position)
        }
        switch entries[found].kind {
        case .open, .dotted: entries[found].kind = .dotted
        case .closed, .tables:
            throw TOMLSyntaxError("\(part.name) is already defined", at: part.position.line)
        case .inlineTable, .value: throw noTable(part)
        }
        return found
    }

    private func noTable(_ part: KeyPart) -> TOMLSyntaxError {
        TOMLSyntaxError("\(part.name) already has a value", at: part.position.line)
    }

    private func member(_ key: KeyPart, of table: Index) -> Index? {
        entries[table].indexOfName[key.name].map { entries[table].members[$0].value }
    }

    private mutating func add(
        _ key: KeyPart, to table: Index, _ kind: Kind, at position: TextPosition
    ) throws(TOMLSyntaxError) -> Index {
        let value = try add(kind, at: position, depth: entries[table].depth + 1)
        entries[table].indexOfName[key.name] = entries[table].members.count
        entries[table].members.append(Member(key: key, value: value))
        return value
    }

    private mutating func append(
        to array: Index, _ kind: Kind, at position: TextPosition
    ) throws(TOMLSyntaxError) -> Index {
        let element = try add(kind, at: position, depth: entries[array].depth + 1)
        entries[array].elements.append(element)
        return element
    }

    private mutating func add(
        _ kind: Kind, at position: TextPosition, depth: Int
    ) throws(TOMLSyntaxError) -> Index {
        guard depth <= TOMLDocument.depthMax else {
            throw TOMLSyntaxError(
                "nested more than \(TOMLDocument.depthMax) levels deep", at: position.line)
        }
        entries.append(Entry(kind: kind, position: position, depth: depth))
        return entries.count - 1
    }
}
