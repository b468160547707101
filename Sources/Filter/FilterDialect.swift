/// Translates the tests of a filter into the query language of a store's engine.
package protocol FilterDialect {
    /// A condition on one exchange.
    associatedtype Condition: FilterCondition
    /// Translates a test with the meaning of `FilterTest.decision`. If the engine cannot express
    /// the test completely, the condition lets more exchanges through and is not exact.
    static func condition(for test: FilterTest) -> Condition
}

/// A condition in the query language of a store's engine.
package protocol FilterCondition {
    /// Whether the condition decides by itself. An inexact one lets through at least every match.
    var isExact: Bool { get }
    /// The opposite if the condition is exact; otherwise a condition that lets everything through.
    var negated: Self { get }
    /// A condition that lets everything through.
    static var all: Self { get }
    /// A condition that lets nothing through.
    static var none: Self { get }
    /// Holds if all parts hold; `all` if there are no parts.
    static func conjunction(_ parts: [Self]) -> Self
    /// Holds if at least one part holds; `none` if there are no parts.
    static func disjunction(_ parts: [Self]) -> Self
}
