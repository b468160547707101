internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The arguments of a call. Each accessor throws a problem that names the argument.
struct ToolArguments {
    /// The arguments by name, without those that are null, unless null is a value.
    let members: [String: JSONValue]

    /// Checks the names; the values are checked as they are read.
    init(_ value: JSONValue, _ parameters: [ToolParameter]) throws(ToolProblem) {
        var members: [String: JSONValue] = [:]
        for member in value.members {
            guard let known = parameters.first(where: { $0.name == member.name }) else {
                let names = parameters.map(\.name).joined(separator: ", ")
                throw ToolProblem(
                    "there is no argument \(member.name)"
                        + (names.isEmpty ? "; this tool takes none" : "; there are: \(names)"))
            }
            if case .nullableText = known.kind {} else if member.value == .null { continue }
            members[member.name] = member.value
        }
        for wanted in parameters where wanted.isRequired && members[wanted.name] == nil {
            throw ToolProblem("the argument \(wanted.name) is missing")
        }
        self.members = members
    }

    func text(_ name: String) throws(ToolProblem) -> String? {
        switch members[name] {
        case nil: return nil
        case .string(let text)?: return text
        default: throw ToolProblem("\(name) must be a string")
        }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws(ToolProblem) -> Choice? where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw ToolProblem("\(name) must be one of: \(names)")
        }
        return choice
    }

    func flag(_ name: String) throws(ToolProblem) -> Bool? {
        switch members[name] {
        case nil: return nil
        case .bool(let flag)?: return flag
        default: throw ToolProblem("\(name) must be true or false")
        }
    }

    /// A whole number. Agents often write numbers as strings, which are accepted.
    func number(_ name: String, in range: ClosedRange<Int>) throws(ToolProblem) -> Int? {
        let number: Int?
        switch members[name] {
        case nil: return nil
        case .string(let text)?: number = Int(text)
        case let value?: number = value.integer.flatMap { Int(exactly: $0) }
        }
        guard let number, range.contains(number) else {
            let end = range.upperBound == .max ? "" : " to \(range.upperBound)"
            throw ToolProblem("\(name) must be a whole number from \(range.lowerBound)\(end)")
        }
        return number
    }

    /// The name of an exchange, which may be written as a number.
    func exchangeName(_ name: String) throws(ToolProblem) -> String? {
        let text: String?
        switch members[name] {
        case nil: return nil
        case .string(let written)?: text = written
        case let value?: text = value.integer.map(String.init)
        }
        guard let text, let number = ExchangeName(text)?.number, number > 0 else {
            throw ToolProblem("\(name) must be a whole number from 1, or an id as a row has it")
        }
        return text
    }

    /// The filter; one that matches everything if it is absent.
    func filter(now: Int64) throws(ToolProblem) -> Filter {
        guard let text = try text("filter"), !text.isEmpty else { return .everything }
        do throws(FilterError) {
            return try Filter.parse(text, now: now)
        } catch {
            throw ToolProblem("filter: column \(error.column): \(error.message)")
        }
    }
}
