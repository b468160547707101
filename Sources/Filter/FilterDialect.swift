/// The language of a store's engine, for the tests of a filter.
package protocol FilterDialect {
    /// A condition on one exchange.
    associatedtype Condition: FilterCondition
    /// What the engine can say of a test. Meant as `FilterTest.matches` means it; where it cannot
    /// say that much, it lets more through and is not exact.
    static func condition(for test: FilterTest) -> Condition
}

/// A condition in the language of a store's engine.
package protocol FilterCondition {
    /// Whether it decides; others let through at least what they should.
    var isExact: Bool { get }
    /// The opposite, where it decides; else what lets everything through.
    var negated: Self { get }
    /// Lets everything through.
    static var all: Self { get }
    /// Lets nothing through.
    static var none: Self { get }
    /// Holds where all do; `all` where there are none.
    static func conjunction(_ parts: [Self]) -> Self
    /// Holds where one does; `none` where there are none.
    static func disjunction(_ parts: [Self]) -> Self
}
