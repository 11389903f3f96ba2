//! The functions that the page calls: numbers in and out, bytes through two buffers.
//!
//! The page asks for room ([`stiction_input`]), writes there, and calls a function that reads it. What a function says (chunks,
//! JSON, or why it failed) is in the output until the next call. Functions return 1 if they succeeded and 0 if not.

#![expect(unsafe_code, reason = "names that the page can call; no function takes or follows a pointer")]

use crate::running::{Request, Running, list_scenes};
use crate::settings::Settings;
use std::cell::RefCell;
use std::sync::{Mutex, Once, PoisonError};
use stiction::files::Memory;

/// Everything the module keeps between calls.
#[derive(Default)]
struct Module {
    input: Vec<u8>,
    output: Vec<u8>,
    files: Memory,
    running: Option<Running>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

/// What the simulator said when it stopped by an error of its own. Not in the module, which was in use then.
static LAST_WORDS: Mutex<String> = Mutex::new(String::new());

fn with<T>(act: impl FnOnce(&mut Module) -> T) -> T {
    static LISTEN: Once = Once::new();
    LISTEN.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
        }));
    });
    MODULE.with_borrow_mut(act)
}

/// Puts an answer into the output.
fn answer(outcome: Result<Vec<u8>, String>, output: &mut Vec<u8>) -> u32 {
    let (fine, bytes) = match outcome {
        Ok(bytes) => (1, bytes),
        Err(error) => (0, error.into_bytes()),
    };
    *output = bytes;
    fine
}

/// Acts on the simulation with the text that was written.
fn act(what: impl FnOnce(&mut Running, &str) -> Result<Vec<u8>, String>) -> u32 {
    with(|module| {
        let text = String::from_utf8_lossy(&module.input);
        let outcome = module.running.as_mut().ok_or_else(|| "nothing is loaded".to_owned());
        answer(outcome.and_then(|running| what(running, &text)), &mut module.output)
    })
}

/// Room for so many bytes, to be written before a call.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_input(length: usize) -> *mut u8 {
    with(|module| {
        module.input.clear();
        module.input.resize(length, 0);
        module.input.as_mut_ptr()
    })
}

/// Where the output is.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_output() -> *const u8 {
    with(|module| module.output.as_ptr())
}

/// How long the output is.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_output_length() -> usize {
    with(|module| module.output.len())
}

/// After a trap: where the last words are.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_last_words() -> *const u8 {
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}

/// How long they are.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_last_words_length() -> usize {
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner).len()
}

/// Keeps a file for models to be loaded: its path in the first so many bytes of the input, then its content.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_file(path_length: usize) -> u32 {
    with(|module| {
        let outcome = match module.input.split_at_checked(path_length) {
            Some((path, content)) => {
                let path = String::from_utf8_lossy(path);
                module.files = std::mem::take(&mut module.files).with(&path, content);
                Ok(Vec::new())
            }
            None => Err("the path is longer than the input".into()),
        };
        answer(outcome, &mut module.output)
    })
}

/// Forgets all files.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_forget() {
    with(|module| module.files = Memory::default());
}

/// Loads a [`Request`] and says what it is.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_load() -> u32 {
    with(|module| {
        let request: Result<Request, String> =
            serde_json::from_slice(&module.input).map_err(|e| e.to_string());
        let outcome = request.and_then(|request| Running::load(&request, &module.files)).map(|running| {
            let about = running.about().into_bytes();
            module.running = Some(running);
            about
        });
        answer(outcome, &mut module.output)
    })
}

/// Changes the [`Settings`].
#[unsafe(no_mangle)]
pub extern "C" fn stiction_set() -> u32 {
    act(|running, text| {
        let settings: Settings = serde_json::from_str(text).map_err(|e| e.to_string())?;
        running.set(&settings)?;
        Ok(running.about().into_bytes())
    })
}

/// Obeys a message.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_obey() -> u32 {
    act(|running, text| running.obey(text).map(|()| Vec::new()))
}

/// Takes so many steps.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_step(steps: u32) -> u32 {
    act(|running, _| (0..steps).try_for_each(|_| running.step()).map(|()| Vec::new()))
}

/// Simulated time, s.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_time() -> f64 {
    with(|module| module.running.as_ref().map_or(0.0, |running| running.simulation().state().time))
}

/// The scene and its buffers as chunks.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_scene() -> u32 {
    act(|running, _| {
        let mut out = Vec::new();
        running.scene(&mut out);
        Ok(out)
    })
}

/// The present frame as a chunk.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_frame() -> u32 {
    act(|running, _| {
        let mut out = Vec::new();
        running.frame(&mut out).map(|()| out)
    })
}

/// Controls, as doubles.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_controls() -> u32 {
    act(|running, _| Ok(doubles(&running.simulation().state().ctrl)))
}

/// Positions, then velocities, as doubles.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_state() -> u32 {
    act(|running, _| {
        let state = running.simulation().state();
        Ok([doubles(&state.q), doubles(&state.v)].concat())
    })
}

/// The built-in scenes as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn stiction_scenes() -> u32 {
    with(|module| answer(Ok(list_scenes().into_bytes()), &mut module.output))
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
