/// Something to be told when the loop has run all callbacks of one dispatch, before it waits again:
/// what streams use to send once what was written in many pieces.
public protocol DispatchEndObserver: AnyObject {
    /// The dispatch ends. The observer may write, close and ask to be told again.
    func dispatchDidEnd()
}
