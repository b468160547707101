/// An adapter and a retrier in one.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}
