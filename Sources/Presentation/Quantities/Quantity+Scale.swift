extension Quantity {
    /// The colour for a number on a scale from little to much, with steps of a factor of ten.
    package static func scale(_ number: Int64, from start: Int64) -> Style.Role {
        let steps: [Style.Role] = [.scale1, .scale2, .scale3, .scale4]
        var bound = start
        for role in steps {
            if number < bound { return role }
            bound = bound.multipliedReportingOverflow(by: 10).partialValue
        }
        return .scale5
    }
}
