//! Animated chains: what the picture holds, and what is refused.

use kameleon::{Choice, Sampler};
use kameleon_study::Animation;

fn animation(target: &str, seed: u64) -> Animation {
    let target = target.parse::<Choice>().unwrap();
    Animation { target, samplers: vec![Sampler::sm(), Sampler::kameleon()], warmup: 700, draws: 60, seed }
}

#[test]
fn a_picture_has_a_panel_for_each_sampler_and_a_disc_for_each_move() {
    let svg = animation("ring", 1).svg().unwrap();
    assert!(svg.contains(">SM</text>") && svg.contains(">kameleon</text>"), "{svg}");
    assert_eq!(svg.matches("class=\"moving\"").count(), 2);
    let discs = svg.matches("<animate attributeName=\"opacity\"").count();
    assert!((2..=120).contains(&discs), "{discs}");
    assert!(svg.len() < 200_000, "{}", svg.len());
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn one_seed_gives_one_picture() {
    assert_eq!(animation("banana", 3).svg().unwrap(), animation("banana", 3).svg().unwrap());
    assert_ne!(animation("banana", 3).svg().unwrap(), animation("banana", 4).svg().unwrap());
}

#[test]
fn what_cannot_be_drawn_is_refused_in_words() {
    let refusal = |animation: Animation| animation.svg().unwrap_err().to_string();
    assert!(refusal(animation("eight-schools", 1)).contains("whose truth is known"));
    assert!(refusal(animation("banana:dim=3", 1)).contains("two dimensions"));
    assert!(refusal(Animation { draws: 1, ..animation("ring", 1) }).contains("from 2 to 2000"));
    assert!(refusal(Animation { samplers: vec![], ..animation("ring", 1) }).contains("one to three samplers"));
}
