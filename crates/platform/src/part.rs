//! Lazy parts of a wasm module: code that a page fetches before the calls that need it.

/// Declares a function of a lazy part, which hands its arguments to another one.
///
/// Everything that only such functions use is left out of the module's first file, if the compiler gets
/// `--cfg ibid_parts`; else the function is one as any other. A call of one whose part is not there ends the module,
/// so the page fetches it first: see `rest.ts` in the npm package.
#[macro_export]
macro_rules! lazily {
    ($vis:vis fn $name:ident$(<$life:lifetime>)?($($given:ident: $type:ty),*) -> $result:ty = $behind:path) => {
        $vis fn $name$(<$life>)?($($given: $type),*) -> $result {
            #[cfg(ibid_parts)]
            {
                #[$crate::part::wasm_split(rest, wasm_split_path = $crate::part)]
                fn $name$(<$life>)?($($given: $type),*) -> $result {
                    $behind($($given),*)
                }
                $crate::part::now($name($($given),*))
            }
            #[cfg(not(ibid_parts))]
            $behind($($given),*)
        }
    };
}

#[cfg(ibid_parts)]
pub use split::{SplitLoaderError, now, rt};
#[cfg(ibid_parts)]
pub use wasm_split_macros::wasm_split;

/// The little that `wasm_split` asks for where pages fetch parts themselves.
#[cfg(ibid_parts)]
mod split {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// Never happens.
    #[derive(Debug)]
    pub struct SplitLoaderError;

    #[doc(hidden)]
    pub mod rt {
        use super::SplitLoaderError;
        use std::ffi::c_void;
        use std::pin::Pin;

        pub type LoadCallbackFn = fn(*const c_void, bool);

        pub struct LazySplitLoader;

        impl LazySplitLoader {
            pub const fn new<F: Copy>(_load: F) -> Self {
                Self
            }
        }

        pub async fn ensure_loaded(_: Pin<&'static LazySplitLoader>) -> Result<(), SplitLoaderError> {
            Ok(())
        }
    }

    /// Takes the result of a function that has nothing to wait for.
    #[allow(clippy::panic, reason = "nothing here waits")]
    pub fn now<T>(work: impl Future<Output = T>) -> T {
        match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => done,
            Poll::Pending => panic!("a part is not there"),
        }
    }
}
