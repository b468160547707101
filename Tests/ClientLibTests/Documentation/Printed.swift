import ProxydTestSupport

/// What the documentation's code prints, for the test that runs it.
enum Printed {
    @TaskLocal static var lines: Collector<String>?
}

/// In place of Swift's own, whose signature it has: a line that a running test collects, or no one.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    Printed.lines?.add(items.map { "\($0)" }.joined(separator: separator))
}
