/// Ends the program, which is how a fuzzer reports a finding, unless something holds.
public func require(
    _ isMet: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) {
    // The trap is the purpose: libFuzzer keeps the input of a run that dies.
    if !isMet { fatalError(message(), file: file, line: line) }
}
