internal import FuzzSupport
internal import ProxydConfigurationText

/// Whether things are where they are said to be, and come back when they are written.
struct PlaceChecks {
    let lines: SourceLines

    func check(_ node: TOMLNode) {
        switch node.content {
        case .table(let table): for member in table.members { check(member) }
        case .array(let elements): elements.forEach(check)
        case .string(let text): check(text)
        case .integer(let number):
            requireSame(number)
            requireStart(node, "+-0123456789")
        case .number(let number):
            if number.isFinite { requireSame(number) }
            requireStart(node, "+-0123456789in")
        case .boolean(let flag):
            requireSame(flag)
            requireStart(node, flag ? "t" : "f")
        case .other: requireStart(node, "0123456789")
        }
    }

    private func check(_ member: TOMLTable.Member) {
        let found = lines[member.position]
        let first = member.name.unicodeScalars.first
        require(
            found == "\"" || found == "'" || (found == first && found != nil),
            "\(member.name) is not at \(member.position)")
        check(member.node)
    }

    private func check(_ text: TOMLText) {
        let quote = lines[text.position]
        require(quote == "\"" || quote == "'", "no string at \(text.position)")
        requireSame(text.text)
        var last = text.position
        for (index, scalar) in text.text.unicodeScalars.enumerated() {
            let position = text.position(ofColumn: index + 1)
            require(last < position, "\(index) of a string stands before what comes before it")
            last = position
            let found = lines[position]
            let isLineEnd = scalar == "\n" && (found == "\n" || found == "\r")
            require(
                found == scalar || (found == "\\" && quote == "\"") || isLineEnd,
                "\(index) of a string is not at \(position)")
            // Each column is looked for from the beginning.
            if index > 200 { break }
        }
        let end = text.position(ofColumn: text.text.unicodeScalars.count + 1)
        require(lines[end] == quote, "a string does not end at \(end)")
    }

    private func requireStart(_ node: TOMLNode, _ allowed: String) {
        let found = lines[node.position]
        require(
            found.map { allowed.unicodeScalars.contains($0) } == true,
            "\(node.kind) is not at \(node.position)")
    }

    private func requireSame<Value: ConfigurationValue>(_ value: Value) {
        let written = "x = " + value.tomlText
        let read = (try? TOMLDocument(written))?.root["x"].flatMap { try? Value(toml: $0.node) }
        require(read == value, "written so that it reads as another value: \(written)")
    }
}
