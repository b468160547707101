internal import ProxydConfigurationText
internal import ProxydParameterCoding

extension RuleValue {
    /// Creates a value from a node of the file; nil for kinds that cannot be a value.
    init?(_ node: TOMLNode) {
        guard let parameter = RuleValue.parameter(node) else { return nil }
        switch node.content {
        case .string(let text): self.init(text.text)
        case .integer(let number): self.init(text: String(number), parameter: parameter)
        case .number(let number): self.init(text: String(number), parameter: parameter)
        case .boolean(let flag): self.init(text: flag ? "true" : "false", parameter: parameter)
        case .array, .table: self.init(text: "", parameter: parameter)
        case .other: return nil
        }
    }

    private static func parameter(_ node: TOMLNode) -> Parameter? {
        switch node.content {
        case .string(let text): return .string(text.text)
        case .integer(let number): return .int(Int64(number))
        case .number(let number): return number.isFinite ? .double(number) : nil
        case .boolean(let flag): return .bool(flag)
        case .array(let elements):
            let values = elements.compactMap(parameter)
            return values.count == elements.count ? .array(values) : nil
        case .table(let table):
            let members = table.members.compactMap { member in
                parameter(member.node).map { Parameter.Member(member.name, $0) }
            }
            return members.count == table.members.count ? .object(members) : nil
        case .other: return nil
        }
    }
}
